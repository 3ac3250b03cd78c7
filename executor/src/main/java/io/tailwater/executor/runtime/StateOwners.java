package io.tailwater.executor.runtime;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.JoinKind;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.join.JoinOperator;
import io.tailwater.executor.set.SetOperationOperator;
import io.tailwater.executor.state.RowLayout;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which worker owns which state of a job, so that a snapshot that some workers took can be dealt to more or fewer. It follows from where the plan's exchanges send the
 * rows that the state is made of. A plan of which that cannot be told has an {@link #obstacle}. Immutable.
 */
public final class StateOwners {
    /** Owner of a state's rows. */
    sealed interface Owner {
        /** The worker of a hash of columns of the row's key. Immutable. */
        final class ByKey implements Owner {
            private final RowLayout key;
            private final int[] columns;

            /**
             * An owner by columns of a key.
             *
             * @param key how the row's key begins
             * @param columns of it that the rows are dealt by
             */
            ByKey(RowLayout key, List<Integer> columns) {
                this.key = key;
                this.columns = columns.stream().mapToInt(c -> c).toArray();
            }

            RowLayout key() {
                return key;
            }

            long hash(long encoded) {
                return key.hashKey(encoded, columns);
            }

            /** By the same columns of another form of the key. */
            ByKey in(RowLayout other) {
                return new ByKey(other, Arrays.stream(columns).boxed().toList());
            }
        }

        /** Worker 0. */
        record First() implements Owner {}

        /** All have the same. */
        record Everybody() implements Owner {}

        /** Whoever, as long as equal rows stay together. */
        record Anybody() implements Owner {}
    }

    /** Per operator, by the part of its state; of the last the others too. */
    private final Map<String, List<Owner>> owners = new HashMap<>();

    private final StateIds ids = new StateIds();
    private @Nullable String obstacle;

    private StateOwners() {}

    public static StateOwners of(JobPlan plan) {
        StateOwners out = new StateOwners();
        Placement root = out.visit(plan.root());
        if (plan.sink() instanceof JobPlan.Sink.Connector) {
            out.refuse("it writes to an external system, which knows it by its workers");
        } else if (plan.sink() instanceof JobPlan.Sink.View) {
            out.owners.put(JobInstance.SINK, List.of(out.rowOwner(plan.root(), root, "the view")));
        }
        return out;
    }

    /** Why the state cannot be dealt to another number of workers, to follow "because"; null if it can. */
    public @Nullable String obstacle() {
        return obstacle;
    }

    /** Owner of what the operator has in a part of its state. */
    Owner owner(String operator, int part) {
        List<Owner> parts = owners.get(operator);
        if (parts == null) {
            throw new AssertionError("state of an operator that has none: " + operator);
        }
        return parts.get(Math.min(part, parts.size() - 1));
    }

    private void refuse(String reason) {
        obstacle = obstacle == null ? reason : obstacle;
    }

    private Placement visit(PlanNode node) {
        List<Placement> inputs = new ArrayList<>();
        for (PlanNode input : node.inputs()) {
            inputs.add(visit(input));
        }
        if (isOperator(node)) {
            // Also of operators without state: the ids are numbered through.
            String id = ids.of(node);
            List<Owner> parts = parts(node, inputs);
            if (!parts.isEmpty()) {
                owners.put(id, parts);
            }
        }
        return Placement.of(node, inputs);
    }

    private static boolean isOperator(PlanNode node) {
        return !(node instanceof PlanNode.Scan
                || node instanceof PlanNode.Values
                || node instanceof PlanNode.Exchange
                || node instanceof PlanNode.Union);
    }

    private List<Owner> parts(PlanNode node, List<Placement> inputs) {
        if (node instanceof PlanNode.Aggregate aggregate) {
            return List.of(keyOwner(node, inputs.get(0), aggregate.groupKeys()));
        } else if (node instanceof PlanNode.Keyed keyed) {
            return List.of(keyOwner(node, inputs.get(0), keyed.key()));
        } else if (node instanceof PlanNode.TopN top) {
            return List.of(keyOwner(node, inputs.get(0), top.partitionKeys()));
        } else if (node instanceof PlanNode.SessionAssign session) {
            return List.of(keyOwner(node, inputs.get(0), session.partitionKeys()));
        } else if (node instanceof PlanNode.SetOperation operation) {
            Placement both = Placement.of(node, inputs);
            return both instanceof Placement.Any
                    ? List.of(unknown(node))
                    : List.of(owner(both, SetOperationOperator.layout(operation), node));
        } else if (node instanceof PlanNode.Join join) {
            return joinOwners(join, inputs.get(0), inputs.get(1));
        } else if (node instanceof PlanNode.WindowClose close) {
            return List.of(rowOwner(close.input(), inputs.get(0), "WindowClose"), new Owner.Everybody());
        } else if (node instanceof PlanNode.LateFilter) {
            return List.of(new Owner.Everybody());
        } else if (node instanceof PlanNode.Sort) {
            return List.of(unknown(node));
        }
        return List.of();
    }

    private Owner unknown(PlanNode node) {
        return unknown(node.getClass().getSimpleName());
    }

    private Owner unknown(String what) {
        refuse("what " + what + " holds does not tell which worker it belongs to");
        return new Owner.First();
    }

    /** Of rows by a key of input columns, which the input must be dealt by. */
    private Owner keyOwner(PlanNode node, Placement input, List<Integer> key) {
        Schema schema = node.inputs().get(0).schema();
        List<Integer> positions = new ArrayList<>();
        for (int c = 0; c < schema.size(); c++) {
            positions.add(key.indexOf(c));
        }
        Placement byKey = input.moved(positions);
        return byKey instanceof Placement.Any
                ? unknown(node)
                : owner(byKey, new RowLayout(key.stream().map(schema::type).toArray(DataType[]::new)), node);
    }

    private Owner owner(Placement placement, RowLayout key, PlanNode node) {
        if (placement instanceof Placement.Hash hash) {
            return new Owner.ByKey(key, hash.columns().get(0));
        }
        return placement instanceof Placement.Single ? new Owner.First() : unknown(node);
    }

    /** Of whole rows of a relation, in a state that is a multiset. */
    private Owner rowOwner(PlanNode of, Placement placement, String what) {
        if (placement instanceof Placement.Hash hash) {
            return new Owner.ByKey(
                    new RowLayout(BatchBuilder.types(of.schema())),
                    hash.columns().get(0));
        } else if (placement instanceof Placement.Single) {
            return new Owner.First();
        } else if (placement instanceof Placement.Any && of.traits().appendOnly()) {
            return new Owner.Anybody();
        }
        // A row would be taken back on another worker than that which has it.
        return unknown(what);
    }

    /** Rows of both sides in one table by their join key. */
    private List<Owner> joinOwners(PlanNode.Join join, Placement left, Placement right) {
        Owner first = keyOwner(join, left, join.leftKeys());
        if (right instanceof Placement.Broadcast) {
            if (join.kind() == JoinKind.RIGHT || join.kind() == JoinKind.FULL) {
                return List.of(unknown(join));
            }
            if (first instanceof Owner.ByKey key) {
                first = key.in(JoinOperator.keyLayout(join));
            }
            return List.of(first, new Owner.Everybody());
        }
        if (left instanceof Placement.Single && right instanceof Placement.Single) {
            return List.of(first);
        }
        if (left instanceof Placement.Hash a && right instanceof Placement.Hash b) {
            for (List<Integer> columns : a.columns()) {
                List<Integer> key =
                        columns.stream().map(join.leftKeys()::indexOf).toList();
                if (!key.contains(-1)
                        && b.columns()
                                .contains(
                                        key.stream().map(join.rightKeys()::get).toList())) {
                    return List.of(new Owner.ByKey(JoinOperator.keyLayout(join), key));
                }
            }
        }
        return List.of(unknown(join));
    }
}
