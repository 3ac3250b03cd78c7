package io.tailwater.server.flight;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.SqlSession.Outcome;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Executes statements of a session, with parameters made to fit, row by row if there are several. */
final class StatementRunner {
    private final ClientSession session;
    private final MemoryAccount account;

    StatementRunner(ClientSession session, MemoryAccount account) {
        this.session = session;
        this.account = account;
    }

    static void checkCount(int parameters, int values) {
        if (values != parameters) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "the statement has %d parameters, %d values were given".formatted(parameters, values));
        }
    }

    ResultPump.Answer run(ExecuteTicket ticket, CancelSignal cancel) {
        if (ticket.handle().isEmpty()) {
            return new ResultPump.Answer(session.sql().execute(ticket.sql(), List.of(), ticket.timeout(), cancel), "");
        }
        return run(session.prepared(ticket.handle()), ticket.rows(), ticket.timeout(), cancel);
    }

    /**
     * @param rows of parameters; none at all means that the statement has no parameters and is executed once
     */
    ResultPump.Answer run(
            ClientSession.PreparedHandle statement,
            List<List<@Nullable Object>> rows,
            Duration timeout,
            CancelSignal cancel) {
        if (rows.size() <= 1) {
            List<@Nullable Object> row = rows.isEmpty() ? List.of() : rows.get(0);
            return new ResultPump.Answer(runRow(statement, row, timeout, cancel), "");
        }
        if (statement.description.query()) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED, "a query takes one row of parameters, not " + rows.size());
        }
        StringBuilder counts = new StringBuilder();
        Optional<BatchInsert> insert = BatchInsert.of(session, statement);
        if (insert.isPresent()) {
            try {
                insert.get().append(session, rows, account, counts);
            } catch (StreamException e) {
                throw FlightErrors.of(e, counts.toString());
            }
            return new ResultPump.Answer(new Outcome.Done(rows.size(), null, List.of()), counts.toString());
        }
        List<String> notices = new ArrayList<>();
        String job = null;
        long total = 0;
        for (List<@Nullable Object> row : rows) {
            Outcome outcome;
            try {
                outcome = runRow(statement, row, timeout, cancel);
            } catch (StreamException e) {
                throw FlightErrors.of(e, counts.toString());
            }
            if (!(outcome instanceof Outcome.Done done)) {
                throw new AssertionError("a statement prepared as an update gave rows");
            }
            total += done.updateCount();
            job = done.jobName() == null ? job : done.jobName();
            notices.addAll(done.notices());
            counts.append(counts.length() == 0 ? "" : ",").append(done.updateCount());
        }
        return new ResultPump.Answer(new Outcome.Done(total, job, notices), counts.toString());
    }

    private Outcome runRow(
            ClientSession.PreparedHandle statement, List<@Nullable Object> row, Duration timeout, CancelSignal cancel) {
        List<DataType> types = statement.description.parameters();
        checkCount(types.size(), row.size());
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            values.add(ParameterValues.of(row.get(i), types.get(i), session.zone()));
        }
        return session.sql().execute(statement.text, values, timeout, cancel);
    }
}
