package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.planner.validate.Errors;
import io.tailwater.planner.validate.Positions;
import org.apache.calcite.sql.SqlIdentifier;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Looks up and makes names. One for each statement. */
final class Objects implements Errors.Names {
    private static final Set<String> SYSTEM_SCHEMAS = Set.of("sys", "information_schema");

    private final CatalogImage catalog;
    private final Session session;
    private final String sql;

    Objects(CatalogImage catalog, Session session, String sql) {
        this.catalog = catalog;
        this.session = session;
        this.sql = sql;
    }

    CatalogImage catalog() {
        return catalog;
    }

    String sql() {
        return sql;
    }

    int position(SqlIdentifier id) {
        return Positions.offset(sql, id.getParserPosition());
    }

    StreamException error(SqlIdentifier at, ErrorCode code, String message, @Nullable String hint) {
        return new StreamException(code, message, position(at), hint, null);
    }

    /** As written, in the session's schema if it names none. */
    ObjectName name(SqlIdentifier id) {
        return switch (id.names.size()) {
            case 1 -> new ObjectName(session.schema(), id.names.get(0));
            case 2 -> new ObjectName(id.names.get(0), id.names.get(1));
            case 3 -> {
                if (!id.names.get(0).equalsIgnoreCase(ObjectName.CATALOG)) {
                    throw error(
                            id,
                            ErrorCode.FEATURE_NOT_SUPPORTED,
                            "catalog \"" + id.names.get(0) + "\" does not exist",
                            "the only one is " + ObjectName.CATALOG);
                }
                yield new ObjectName(id.names.get(1), id.names.get(2));
            }
            default ->
                throw error(
                        id,
                        ErrorCode.SYNTAX_ERROR,
                        "a name has at most three parts: " + ObjectName.CATALOG + ".schema.name",
                        null);
        };
    }

    /** The object of this name; a quoted name must match exactly. */
    Optional<CatalogObject> find(SqlIdentifier id) {
        ObjectName name = name(id);
        return catalog.find(name).filter(o -> !quoted(id) || o.name().name().equals(name.name()));
    }

    private static boolean quoted(SqlIdentifier id) {
        return id.isComponentQuoted(id.names.size() - 1);
    }

    CatalogObject get(SqlIdentifier id) {
        return find(id).orElseThrow(() -> {
            ObjectName name = name(id);
            return error(
                    id,
                    ErrorCode.UNDEFINED_TABLE,
                    "relation \"" + name + "\" does not exist",
                    Errors.didYouMean(name.name(), relations()));
        });
    }

    /** Name of the job. */
    String job(SqlIdentifier id) {
        return findJob(id)
                .orElseThrow(() -> error(
                        id,
                        ErrorCode.UNDEFINED_OBJECT,
                        "job \"" + id.names.get(id.names.size() - 1) + "\" does not exist",
                        Errors.didYouMean(
                                id.names.get(id.names.size() - 1),
                                catalog.jobs().keySet())));
    }

    Optional<String> findJob(SqlIdentifier id) {
        String name = id.names.get(id.names.size() - 1);
        if (catalog.jobs().containsKey(name)) {
            return Optional.of(name);
        }
        return quoted(id)
                ? Optional.empty()
                : catalog.jobs().keySet().stream()
                        .filter(name::equalsIgnoreCase)
                        .findFirst();
    }

    /**
     * The name of an object to be created.
     *
     * @param mayExist IF NOT EXISTS or OR REPLACE was said
     */
    ObjectName create(SqlIdentifier id, boolean mayExist) {
        ObjectName name = name(id);
        if (SYSTEM_SCHEMAS.contains(name.schema())) {
            throw error(
                    id,
                    ErrorCode.WRONG_OBJECT_TYPE,
                    "nothing can be created in system schema \"" + name.schema() + "\"",
                    null);
        }
        if (!name.schema().equals(ObjectName.PUBLIC) && !name.schema().equals(session.schema())) {
            throw error(
                    id,
                    ErrorCode.INVALID_SCHEMA_NAME,
                    "schema \"" + name.schema() + "\" does not exist",
                    "use schema " + ObjectName.PUBLIC);
        }
        if (name.name().indexOf('$') >= 0) {
            throw error(id, ErrorCode.SYNTAX_ERROR, "names with $ are kept for the system", null);
        }
        Optional<CatalogObject> present = catalog.find(name);
        if (present.isPresent() && !mayExist) {
            throw error(
                    id,
                    ErrorCode.DUPLICATE_TABLE,
                    present.get().kindName() + " \"" + present.get().name() + "\" already exists",
                    present.get().name().equals(name) ? null : "names that differ only in case are the same name");
        }
        return present.map(CatalogObject::name).orElse(name);
    }

    @Override
    public Collection<String> relations() {
        return catalog.objects().keySet().stream().map(ObjectName::toString).toList();
    }

    @Override
    public Collection<String> columns() {
        List<String> out = new ArrayList<>();
        catalog.objects().values().stream()
                .filter(o -> !(o instanceof CatalogObject.SystemTable)
                        || sql.contains(o.name().name()))
                .forEach(o -> o.schema().columns().forEach(c -> out.add(c.name())));
        return out;
    }

    /** Everything that CASCADE must drop before {@code name}, dependants of dependants first. */
    List<Statement.Dependant> dependants(ObjectName name) {
        List<Statement.Dependant> out = new ArrayList<>();
        collect(name, out);
        return out;
    }

    private void collect(ObjectName name, List<Statement.Dependant> out) {
        for (JobDefinition job : catalog.jobs().values()) {
            if (CatalogImage.depends(job.dependsOn(), name)) {
                add(new Statement.Dependant(job.name(), null), out);
            }
        }
        for (CatalogObject object : catalog.objects().values()) {
            boolean depends = object instanceof CatalogObject.View view && CatalogImage.depends(view.dependsOn(), name)
                    || object instanceof CatalogObject.MaterializedView mv
                            && CatalogImage.depends(mv.dependsOn(), name);
            if (depends && !object.name().equals(name)) {
                collect(object.name(), out);
                add(new Statement.Dependant(null, object.name()), out);
            }
        }
    }

    private static void add(Statement.Dependant dependant, List<Statement.Dependant> out) {
        if (!out.contains(dependant)) {
            out.add(dependant);
        }
    }
}
