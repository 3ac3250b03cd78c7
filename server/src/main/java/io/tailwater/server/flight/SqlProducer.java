package io.tailwater.server.flight;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.WireFormat;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.SqlSession;
import io.tailwater.server.sql.SqlSession.Outcome;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.CloseSessionRequest;
import org.apache.arrow.flight.CloseSessionResult;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.GetSessionOptionsRequest;
import org.apache.arrow.flight.GetSessionOptionsResult;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.SchemaResult;
import org.apache.arrow.flight.SessionOptionValue;
import org.apache.arrow.flight.SessionOptionValueFactory;
import org.apache.arrow.flight.SetSessionOptionsRequest;
import org.apache.arrow.flight.SetSessionOptionsResult;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.CancelResult;
import org.apache.arrow.flight.sql.NoOpFlightSqlProducer;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionClosePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementResult;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetCatalogs;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetCrossReference;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetDbSchemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetExportedKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetImportedKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetPrimaryKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetSqlInfo;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTableTypes;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTables;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetXdbcTypeInfo;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.DoPutUpdateResult;
import org.apache.arrow.flight.sql.impl.FlightSql.TicketStatementQuery;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Flight SQL's commands, for standard clients and our driver: statements here, metadata in {@link CatalogAnswers}, bulk writes in {@link BulkIngest}.
 * Thread-safe.
 */
@SuppressWarnings({"deprecation", "try"}) // CancelQuery, which older clients use; close() of the base class.
final class SqlProducer extends NoOpFlightSqlProducer {
    private static final MemoryAccount MEMORY = MemoryAccount.unlimited("sql endpoint");
    /** Extensions of {@link DoPutUpdateResult} that others skip. */
    private static final int JOB_NAME = 1000;

    private static final int NOTICE = 1001;

    private final FlightSessions sessions;
    private final BufferAllocator allocator;
    private final Executor executor;
    private final Clock clock;
    private final CatalogAnswers catalog;
    private final AtomicLong serial = new AtomicLong();
    private volatile boolean refusing;

    SqlProducer(FlightSessions sessions, BufferAllocator allocator, Executor executor, Clock clock) {
        this.sessions = sessions;
        this.allocator = allocator;
        this.executor = executor;
        this.clock = clock;
        this.catalog = new CatalogAnswers(allocator);
    }

    /** From now on nothing new is begun. */
    void refuse() {
        refusing = true;
    }

    private void checkServing() {
        if (refusing) {
            throw new StreamException(ErrorCode.ADMIN_SHUTDOWN, "the server is shutting down");
        }
    }

    // ---- every call comes in through these, and its failure goes out through them

    @Override
    public FlightInfo getFlightInfo(CallContext context, FlightDescriptor descriptor) {
        try {
            checkServing();
            return super.getFlightInfo(context, descriptor);
        } catch (RuntimeException e) {
            throw FlightErrors.of(e);
        }
    }

    @Override
    public SchemaResult getSchema(CallContext context, FlightDescriptor descriptor) {
        try {
            checkServing();
            return super.getSchema(context, descriptor);
        } catch (RuntimeException e) {
            throw FlightErrors.of(e);
        }
    }

    @Override
    public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
        try {
            checkServing();
            Any command = Any.parseFrom(ticket.getBytes());
            if (command.getTypeUrl().equals(ExecuteTicket.TYPE_URL)) {
                ClientSession session = sessions.current();
                ExecuteTicket request = ExecuteTicket.parse(command.getValue());
                pump(
                        session,
                        ticket.getBytes(),
                        cancel -> new StatementRunner(session, MEMORY).run(request, cancel),
                        listener);
            } else {
                super.getStream(context, ticket, listener);
            }
        } catch (IOException e) {
            listener.error(FlightErrors.of(malformed("ticket", e)));
        } catch (RuntimeException e) {
            listener.error(FlightErrors.of(e));
        }
    }

    @Override
    public Runnable acceptPut(CallContext context, FlightStream stream, StreamListener<PutResult> ack) {
        try {
            checkServing();
            Runnable put = super.acceptPut(context, stream, ack);
            return () -> {
                try {
                    put.run();
                } catch (RuntimeException e) {
                    ack.onError(FlightErrors.of(e));
                }
            };
        } catch (RuntimeException e) {
            throw FlightErrors.of(e);
        }
    }

    @Override
    public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
        try {
            checkServing();
            switch (action.getType()) {
                case "tailwater.OpenSession" -> {
                    listener.onNext(new Result(openSession(action.getBody())));
                    listener.onCompleted();
                }
                case "tailwater.Ping" -> {
                    sessions.current();
                    listener.onCompleted();
                }
                default -> super.doAction(context, action, listener);
            }
        } catch (IOException e) {
            listener.onError(FlightErrors.of(malformed("action", e)));
        } catch (RuntimeException e) {
            listener.onError(FlightErrors.of(e));
        }
    }

    @Override
    public void listFlights(CallContext context, Criteria criteria, StreamListener<FlightInfo> listener) {
        listener.onCompleted();
    }

    private static StreamException malformed(String what, IOException cause) {
        return new StreamException(
                ErrorCode.INVALID_PARAMETER_VALUE, "malformed " + what + ": " + cause.getMessage(), -1, null, cause);
    }

    // ---- sessions

    private byte[] openSession(byte[] body) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(body);
        String user = "";
        String schema = "";
        String zoneName = "";
        Map<String, String> settings = new HashMap<>();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> user = in.readStringRequireUtf8();
                case 3 -> schema = in.readStringRequireUtf8();
                case 4 -> zoneName = in.readStringRequireUtf8();
                case 5 -> setting(in.readBytes().newCodedInput(), settings);
                default -> in.skipField(tag);
            }
        }
        ClientSession session = sessions.open(user, schema, zone(zoneName));
        try {
            settings.forEach(session::set);
        } catch (StreamException e) {
            sessions.close(session);
            throw e;
        }
        byte[] answer = new byte[4096];
        CodedOutputStream out = CodedOutputStream.newInstance(answer);
        out.writeString(1, session.id());
        out.writeString(2, session.schema());
        out.writeString(3, CatalogAnswers.PRODUCT_VERSION);
        out.writeString(4, session.zone().getId());
        return java.util.Arrays.copyOf(answer, out.getTotalBytesWritten());
    }

    private static void setting(CodedInputStream in, Map<String, String> into) throws IOException {
        String key = "";
        String value = "";
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> key = in.readStringRequireUtf8();
                case 2 -> value = in.readStringRequireUtf8();
                default -> in.skipField(tag);
            }
        }
        into.put(key, value);
    }

    private ZoneId zone(String name) {
        try {
            return name.isEmpty() ? sessions.defaultZone() : ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE, "unknown time zone \"" + name + "\"", -1, null, e);
        }
    }

    @Override
    public void setSessionOptions(
            SetSessionOptionsRequest request, CallContext context, StreamListener<SetSessionOptionsResult> listener) {
        ClientSession session = sessions.current();
        Map<String, SetSessionOptionsResult.Error> errors = new HashMap<>();
        request.getSessionOptions().forEach((name, value) -> {
            try {
                session.set(name, value.acceptVisitor(OptionText.INSTANCE));
            } catch (StreamException e) {
                boolean unknown = e.code() == ErrorCode.UNDEFINED_OBJECT;
                errors.put(
                        name,
                        new SetSessionOptionsResult.Error(
                                unknown
                                        ? SetSessionOptionsResult.ErrorValue.INVALID_NAME
                                        : SetSessionOptionsResult.ErrorValue.INVALID_VALUE));
            }
        });
        listener.onNext(new SetSessionOptionsResult(errors));
        listener.onCompleted();
    }

    @Override
    public void getSessionOptions(
            GetSessionOptionsRequest request, CallContext context, StreamListener<GetSessionOptionsResult> listener) {
        Map<String, SessionOptionValue> options = Map.of(
                "schema",
                SessionOptionValueFactory.makeSessionOptionValue(
                        sessions.current().schema()));
        listener.onNext(new GetSessionOptionsResult(options));
        listener.onCompleted();
    }

    @Override
    public void closeSession(
            CloseSessionRequest request, CallContext context, StreamListener<CloseSessionResult> listener) {
        sessions.close(sessions.current());
        listener.onNext(new CloseSessionResult(CloseSessionResult.Status.CLOSED));
        listener.onCompleted();
    }

    // ---- queries

    private void pump(ClientSession session, byte[] ticket, ResultPump.Work work, ServerStreamListener listener) {
        ResultPump[] self = new ResultPump[1];
        ResultPump pump = new ResultPump(
                ticket, work, listener, executor, allocator, MEMORY, () -> session.ended(self[0], clock.nanoTime()));
        self[0] = pump;
        session.began(pump);
        pump.start();
    }

    @Override
    public FlightInfo getFlightInfoStatement(
            CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        SqlSession.Prepared prepared = sessions.current().sql().prepare(command.getQuery());
        // The number makes each ticket one of its own, so that it can be cancelled.
        ByteString handle = ByteString.copyFromUtf8(serial.incrementAndGet() + " " + command.getQuery());
        TicketStatementQuery ticket =
                TicketStatementQuery.newBuilder().setStatementHandle(handle).build();
        return info(ticket, schema(prepared), descriptor);
    }

    private static FlightInfo info(
            Message ticket, org.apache.arrow.vector.types.pojo.Schema schema, FlightDescriptor descriptor) {
        FlightEndpoint here = FlightEndpoint.builder(new Ticket(Any.pack(ticket).toByteArray()))
                .build();
        return new FlightInfo(schema, descriptor, List.of(here), -1, -1);
    }

    private static org.apache.arrow.vector.types.pojo.Schema schema(SqlSession.Prepared prepared) {
        return ArrowTypes.schema(
                prepared.result(), prepared.unbounded() ? Map.of("tailwater.unbounded", "true") : Map.of());
    }

    @Override
    public SchemaResult getSchemaStatement(
            CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        return new SchemaResult(schema(sessions.current().sql().prepare(command.getQuery())));
    }

    @Override
    public void getStreamStatement(TicketStatementQuery ticket, CallContext context, ServerStreamListener listener) {
        ClientSession session = sessions.current();
        String handle = ticket.getStatementHandle().toStringUtf8();
        String sql = handle.substring(handle.indexOf(' ') + 1);
        pump(
                session,
                Any.pack(ticket).toByteArray(),
                cancel -> new ResultPump.Answer(session.sql().execute(sql, List.of(), Duration.ZERO, cancel), ""),
                listener);
    }

    @Override
    public void cancelFlightInfo(
            CancelFlightInfoRequest request, CallContext context, StreamListener<CancelStatus> listener) {
        listener.onNext(cancel(request.getInfo()) ? CancelStatus.CANCELLED : CancelStatus.NOT_CANCELLABLE);
        listener.onCompleted();
    }

    @Override
    public void cancelQuery(FlightInfo info, CallContext context, StreamListener<CancelResult> listener) {
        listener.onNext(cancel(info) ? CancelResult.CANCELLED : CancelResult.NOT_CANCELLABLE);
        listener.onCompleted();
    }

    private boolean cancel(FlightInfo info) {
        ClientSession session = sessions.current();
        boolean any = false;
        for (FlightEndpoint endpoint : info.getEndpoints()) {
            any |= session.cancel(endpoint.getTicket().getBytes());
        }
        return any;
    }

    // ---- prepared statements

    @Override
    public void createPreparedStatement(
            ActionCreatePreparedStatementRequest request, CallContext context, StreamListener<Result> listener) {
        ClientSession session = sessions.current();
        SqlSession.Prepared prepared = session.sql().prepare(request.getQuery());
        String handle = String.valueOf(serial.incrementAndGet());
        session.prepare(handle, new ClientSession.PreparedHandle(request.getQuery(), prepared));
        var answer = ActionCreatePreparedStatementResult.newBuilder()
                .setPreparedStatementHandle(ByteString.copyFromUtf8(handle));
        if (prepared.query()) {
            answer.setDatasetSchema(serialized(schema(prepared)));
        }
        if (!prepared.parameters().isEmpty()) {
            answer.setParameterSchema(serialized(ArrowTypes.parameters(prepared.parameters())));
        }
        listener.onNext(new Result(Any.pack(answer.build()).toByteArray()));
        listener.onCompleted();
    }

    private static ByteString serialized(org.apache.arrow.vector.types.pojo.Schema schema) {
        return ByteString.copyFrom(CatalogAnswers.serialize(schema));
    }

    @Override
    public void closePreparedStatement(
            ActionClosePreparedStatementRequest request, CallContext context, StreamListener<Result> listener) {
        sessions.current().closePrepared(request.getPreparedStatementHandle().toStringUtf8());
        listener.onCompleted();
    }

    private static ClientSession.PreparedHandle prepared(ClientSession session, ByteString handle) {
        return session.prepared(handle.toStringUtf8());
    }

    @Override
    public FlightInfo getFlightInfoPreparedStatement(
            CommandPreparedStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        ClientSession.PreparedHandle statement = prepared(sessions.current(), command.getPreparedStatementHandle());
        return info(command, schema(statement.description), descriptor);
    }

    @Override
    public SchemaResult getSchemaPreparedStatement(
            CommandPreparedStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        return new SchemaResult(schema(prepared(sessions.current(), command.getPreparedStatementHandle()).description));
    }

    @Override
    public void getStreamPreparedStatement(
            CommandPreparedStatementQuery command, CallContext context, ServerStreamListener listener) {
        ClientSession session = sessions.current();
        ClientSession.PreparedHandle statement = prepared(session, command.getPreparedStatementHandle());
        pump(
                session,
                Any.pack(command).toByteArray(),
                cancel -> new StatementRunner(session, MEMORY).run(statement, statement.bound, Duration.ZERO, cancel),
                listener);
    }

    @Override
    public Runnable acceptPutPreparedStatementQuery(
            CommandPreparedStatementQuery command,
            CallContext context,
            FlightStream stream,
            StreamListener<PutResult> ack) {
        ClientSession session = sessions.current();
        return () -> {
            prepared(session, command.getPreparedStatementHandle()).bound = rows(stream);
            ack.onCompleted();
        };
    }

    @Override
    public Runnable acceptPutPreparedStatementUpdate(
            CommandPreparedStatementUpdate command,
            CallContext context,
            FlightStream stream,
            StreamListener<PutResult> ack) {
        ClientSession session = sessions.current();
        CancelSignal cancel = new CancelSignal();
        io.grpc.Context.current().addListener(ended -> cancel.cancel(), Runnable::run);
        return () -> {
            ClientSession.PreparedHandle statement = prepared(session, command.getPreparedStatementHandle());
            answer(
                    new StatementRunner(session, MEMORY)
                            .run(statement, rows(stream), Duration.ZERO, cancel)
                            .outcome(),
                    ack);
        };
    }

    /** The parameters that a standard client sends; none if it sends none. */
    private static List<List<@Nullable Object>> rows(FlightStream stream) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        while (stream.next()) {
            VectorSchemaRoot root = stream.getRoot();
            for (int row = 0;
                    row < root.getRowCount() && !root.getFieldVectors().isEmpty();
                    row++) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int column = 0; column < root.getFieldVectors().size(); column++) {
                    values.add(ArrowValues.get(root.getVector(column), row));
                }
                rows.add(values);
            }
        }
        return rows;
    }

    // ---- updates

    @Override
    public Runnable acceptPutStatement(
            CommandStatementUpdate command, CallContext context, FlightStream stream, StreamListener<PutResult> ack) {
        ClientSession session = sessions.current();
        CancelSignal cancel = new CancelSignal();
        io.grpc.Context.current().addListener(ended -> cancel.cancel(), Runnable::run);
        return () -> answer(session.sql().execute(command.getQuery(), List.of(), Duration.ZERO, cancel), ack);
    }

    private void answer(Outcome outcome, StreamListener<PutResult> ack) {
        if (outcome instanceof Outcome.Rows rows) {
            rows.stream().close();
            throw new StreamException(
                    ErrorCode.WRONG_OBJECT_TYPE, "the statement returns rows and cannot be executed as an update");
        } else if (outcome instanceof Outcome.Done done) {
            UnknownFieldSet.Builder more = UnknownFieldSet.newBuilder();
            if (done.jobName() != null) {
                more.mergeField(JOB_NAME, text(List.of(done.jobName())));
            }
            if (!done.notices().isEmpty()) {
                more.mergeField(NOTICE, text(done.notices()));
            }
            acknowledge(done.updateCount(), more.build(), ack);
        } else {
            throw new AssertionError(outcome);
        }
    }

    private static UnknownFieldSet.Field text(List<String> values) {
        UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
        values.forEach(value -> field.addLengthDelimited(ByteString.copyFromUtf8(value)));
        return field.build();
    }

    private void acknowledge(long count, UnknownFieldSet more, StreamListener<PutResult> ack) {
        byte[] message = DoPutUpdateResult.newBuilder()
                .setRecordCount(count)
                .setUnknownFields(more)
                .build()
                .toByteArray();
        ArrowBuf buffer = allocator.buffer(message.length);
        buffer.writeBytes(message);
        try (PutResult result = PutResult.metadata(buffer)) {
            ack.onNext(result);
        }
        ack.onCompleted();
    }

    @Override
    public Runnable acceptPutStatementBulkIngest(
            CommandStatementIngest command, CallContext context, FlightStream stream, StreamListener<PutResult> ack) {
        ClientSession session = sessions.current();
        return () -> acknowledge(
                new BulkIngest(session, MEMORY).append(command, stream), UnknownFieldSet.getDefaultInstance(), ack);
    }

    // ---- metadata

    @Override
    public FlightInfo getFlightInfoSqlInfo(
            CommandGetSqlInfo command, CallContext context, FlightDescriptor descriptor) {
        return info(command, Schemas.GET_SQL_INFO_SCHEMA, descriptor);
    }

    @Override
    public void getStreamSqlInfo(CommandGetSqlInfo command, CallContext context, ServerStreamListener listener) {
        catalog.sqlInfo(command, listener);
    }

    @Override
    public FlightInfo getFlightInfoTypeInfo(
            CommandGetXdbcTypeInfo command, CallContext context, FlightDescriptor descriptor) {
        return info(command, Schemas.GET_TYPE_INFO_SCHEMA, descriptor);
    }

    @Override
    public void getStreamTypeInfo(CommandGetXdbcTypeInfo command, CallContext context, ServerStreamListener listener) {
        catalog.typeInfo(command, listener);
    }

    @Override
    public FlightInfo getFlightInfoCatalogs(
            CommandGetCatalogs command, CallContext context, FlightDescriptor descriptor) {
        return info(command, Schemas.GET_CATALOGS_SCHEMA, descriptor);
    }

    @Override
    public void getStreamCatalogs(CallContext context, ServerStreamListener listener) {
        catalog.catalogs(listener);
    }

    @Override
    public FlightInfo getFlightInfoSchemas(
            CommandGetDbSchemas command, CallContext context, FlightDescriptor descriptor) {
        return info(command, Schemas.GET_SCHEMAS_SCHEMA, descriptor);
    }

    @Override
    public void getStreamSchemas(CommandGetDbSchemas command, CallContext context, ServerStreamListener listener) {
        catalog.schemas(sessions.current(), command, listener);
    }

    @Override
    public FlightInfo getFlightInfoTableTypes(
            CommandGetTableTypes command, CallContext context, FlightDescriptor descriptor) {
        return info(command, Schemas.GET_TABLE_TYPES_SCHEMA, descriptor);
    }

    @Override
    public void getStreamTableTypes(CallContext context, ServerStreamListener listener) {
        catalog.tableTypes(listener);
    }

    @Override
    public FlightInfo getFlightInfoPrimaryKeys(
            CommandGetPrimaryKeys command, CallContext context, FlightDescriptor descriptor) {
        return info(command, Schemas.GET_PRIMARY_KEYS_SCHEMA, descriptor);
    }

    @Override
    public void getStreamPrimaryKeys(
            CommandGetPrimaryKeys command, CallContext context, ServerStreamListener listener) {
        catalog.primaryKeys(sessions.current(), command, listener);
    }

    @Override
    public FlightInfo getFlightInfoExportedKeys(
            CommandGetExportedKeys command, CallContext context, FlightDescriptor descriptor) {
        return info(command, Schemas.GET_EXPORTED_KEYS_SCHEMA, descriptor);
    }

    @Override
    public void getStreamExportedKeys(
            CommandGetExportedKeys command, CallContext context, ServerStreamListener listener) {
        catalog.none(Schemas.GET_EXPORTED_KEYS_SCHEMA, listener);
    }

    @Override
    public FlightInfo getFlightInfoImportedKeys(
            CommandGetImportedKeys command, CallContext context, FlightDescriptor descriptor) {
        return info(command, Schemas.GET_IMPORTED_KEYS_SCHEMA, descriptor);
    }

    @Override
    public void getStreamImportedKeys(
            CommandGetImportedKeys command, CallContext context, ServerStreamListener listener) {
        catalog.none(Schemas.GET_IMPORTED_KEYS_SCHEMA, listener);
    }

    @Override
    public FlightInfo getFlightInfoCrossReference(
            CommandGetCrossReference command, CallContext context, FlightDescriptor descriptor) {
        return info(command, Schemas.GET_CROSS_REFERENCE_SCHEMA, descriptor);
    }

    @Override
    public void getStreamCrossReference(
            CommandGetCrossReference command, CallContext context, ServerStreamListener listener) {
        catalog.none(Schemas.GET_CROSS_REFERENCE_SCHEMA, listener);
    }

    @Override
    public FlightInfo getFlightInfoTables(CommandGetTables command, CallContext context, FlightDescriptor descriptor) {
        return info(
                command,
                command.getIncludeSchema() ? Schemas.GET_TABLES_SCHEMA : Schemas.GET_TABLES_SCHEMA_NO_SCHEMA,
                descriptor);
    }

    @Override
    public void getStreamTables(CommandGetTables command, CallContext context, ServerStreamListener listener) {
        catalog.tables(sessions.current(), command, listener);
    }
}
