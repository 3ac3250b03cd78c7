package io.tailwater.server.flight;

import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.CloseSessionRequest;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.GetSessionOptionsRequest;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.SessionOptionValueFactory;
import org.apache.arrow.flight.SetSessionOptionsRequest;
import org.apache.arrow.flight.SetSessionOptionsResult;
import org.apache.arrow.flight.client.ClientCookieMiddleware;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlColumnMetadata;
import org.apache.arrow.flight.sql.FlightSqlProducer.Schemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableNotExistOption;
import org.apache.arrow.flight.sql.util.TableRef;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The client of Arrow itself, which knows nothing of Tailwater. */
@SuppressWarnings({"try", "deprecation"}) // FlightStream.close() throws InterruptedException; FlightInfo.getSchema().
class StandardClientTest extends EndpointFixture {
    private final BufferAllocator allocator = new RootAllocator();
    private final FlightClient flight = FlightClient.builder(
                    allocator, Location.forGrpcInsecure("127.0.0.1", endpoint.port()))
            .build();
    private final FlightSqlClient client = new FlightSqlClient(flight);

    StandardClientTest() throws SQLException {}

    @AfterEach
    void closeClient() throws Exception {
        client.close();
        allocator.close();
    }

    @Test
    void aQueryGivesItsRows() throws Exception {
        FlightInfo info = client.execute("SELECT n FROM series 5000");
        assertThat(info.getSchemaOptional()).isPresent();
        long expected = 0;
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            while (stream.next()) {
                BigIntVector n = (BigIntVector) stream.getRoot().getVector(0);
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    assertThat(n.get(row)).isEqualTo(expected++);
                }
            }
        }
        assertThat(expected).isEqualTo(5000);
    }

    @Test
    void everyTypeIsCarried() throws Exception {
        List<List<String>> rows = read(client.execute("SELECT * FROM all_types"));
        assertThat(rows.get(0).subList(0, 9))
                .containsExactly(
                        "true", "-7", "-300", "42", "9007199254740993", "10.50", "1.5", "-2.25", "größer als zwölf");
        assertThat(rows.get(0).get(12)).isEqualTo("2024-07-01T12:34:56.789012");
        assertThat(rows.get(1).get(3)).isEqualTo("43");
        assertThat(rows.get(1).get(8)).isEqualTo("null");
    }

    @Test
    void columnsCarryTheirSqlTypes() {
        Schema schema = client.execute("SELECT * FROM all_types").getSchema();
        FlightSqlColumnMetadata decimal =
                new FlightSqlColumnMetadata(schema.findField("c_dec").getMetadata());
        assertThat(decimal.getTypeName()).isEqualTo("DECIMAL");
        assertThat(decimal.getPrecision()).isEqualTo(12);
        assertThat(decimal.getScale()).isEqualTo(2);
        assertThat(schema.findField("c_int").isNullable()).isFalse();
    }

    @Test
    void anUpdateGivesItsCount() {
        assertThat(client.executeUpdate("CREATE TABLE t (a INT)")).isZero();
        assertThat(client.executeUpdate("INSERT INTO s SELECT * FROM t")).isZero();
    }

    @Test
    void ddlSentAsAQueryIsExecutedOnce() throws Exception {
        assertThat(read(client.execute("CREATE TABLE t (a INT)"))).isEmpty();
        assertThat(sql.executions).hasValue(1);
    }

    @Test
    void errorsCarryMessageStateAndPlace() {
        FlightRuntimeException failure =
                catchThrowableOfType(FlightRuntimeException.class, () -> client.execute("SELECT größe"));
        assertThat(failure.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        assertThat((Throwable) failure).hasMessageContaining("column \"größe\" does not exist");
        assertThat(failure.status().metadata().get("tailwater-sqlstate")).isEqualTo("42703");
        assertThat(failure.status().metadata().get("tailwater-position")).isEqualTo("7");
        assertThat(new String(failure.status().metadata().getByte("tailwater-hint-bin"), StandardCharsets.UTF_8))
                .isEqualTo("Did you mean \"grösse\"?");
    }

    @Test
    void preparedQueriesTakeParameters() throws Exception {
        try (FlightSqlClient.PreparedStatement statement = client.prepare("SELECT ? AS x, ? AS y")) {
            assertThat(statement.getParameterSchema().getFields()).hasSize(2);
            assertThat(statement.getResultSetSchema().getFields()).hasSize(2);
            try (VectorSchemaRoot parameters = VectorSchemaRoot.create(
                    new Schema(List.of(
                            field("a", new IntVector("a", allocator)), field("b", new VarCharVector("b", allocator)))),
                    allocator)) {
                ((IntVector) parameters.getVector(0)).setSafe(0, 7);
                ((VarCharVector) parameters.getVector(1)).setSafe(0, "größe".getBytes(StandardCharsets.UTF_8));
                parameters.setRowCount(1);
                statement.setParameters(parameters);
                assertThat(read(statement.execute())).containsExactly(List.of("7.00", "größe"));
                statement.clearParameters();
            }
        }
        assertThat(endpoint.openPreparedStatements()).isZero();
    }

    @Test
    void preparedUpdatesTakeManyRowsOfParameters() {
        try (FlightSqlClient.PreparedStatement statement = client.prepare(FakeSql.INSERT);
                VectorSchemaRoot parameters = VectorSchemaRoot.create(
                        new Schema(List.of(
                                field("a", new BigIntVector("a", allocator)),
                                field("b", new TimeStampMicroVector("b", allocator)))),
                        allocator)) {
            BigIntVector a = (BigIntVector) parameters.getVector(0);
            TimeStampMicroVector b = (TimeStampMicroVector) parameters.getVector(1);
            a.setSafe(0, 1);
            a.setSafe(1, 2);
            b.setSafe(0, FakeSql.MICROS);
            b.setNull(1);
            parameters.setRowCount(2);
            statement.setParameters(parameters);
            assertThat(statement.executeUpdate()).isEqualTo(2);
            assertThat(sql.inserted).containsExactly(List.of(1L, FakeSql.MICROS), Arrays.asList(2L, null));
            statement.clearParameters();
        }
    }

    @Test
    void rowsAreIngestedInBulk() {
        try (VectorSchemaRoot rows = VectorSchemaRoot.create(
                new Schema(List.of(
                        field("a", new BigIntVector("a", allocator)), field("b", new VarCharVector("b", allocator)))),
                allocator)) {
            ((BigIntVector) rows.getVector(0)).setSafe(0, 1);
            ((VarCharVector) rows.getVector(1))
                    .setSafe(0, "a string longer than twelve".getBytes(StandardCharsets.UTF_8));
            ((BigIntVector) rows.getVector(0)).setNull(1);
            ((VarCharVector) rows.getVector(1)).setSafe(1, "x".getBytes(StandardCharsets.UTF_8));
            rows.setRowCount(2);
            TableDefinitionOptions append = TableDefinitionOptions.newBuilder()
                    .setIfExists(TableExistsOption.TABLE_EXISTS_OPTION_APPEND)
                    .setIfNotExist(TableNotExistOption.TABLE_NOT_EXIST_OPTION_FAIL)
                    .build();
            assertThat(client.executeIngest(
                            rows, new FlightSqlClient.ExecuteIngestOptions("t", append, null, null, Map.of())))
                    .isEqualTo(2);
            assertThat(sql.inserted)
                    .containsExactly(List.of(1L, "a string longer than twelve"), Arrays.asList(null, "x"));
        }
    }

    @Test
    void anUnboundedQueryBeatsAndCanBeCancelled() throws Exception {
        FlightInfo info = client.execute("SELECT n FROM quiet EMIT CHANGES");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            assertThat(stream.next()).as("a heartbeat").isTrue();
            assertThat(stream.getRoot().getRowCount()).isZero();
            assertThat(stream.getLatestMetadata()).isNotNull();
            Future<?> next = threads.submit((Callable<Object>) () -> {
                while (stream.next()) {
                    assertThat(stream.getRoot().getRowCount()).isZero();
                }
                return null;
            });
            assertThat(client.cancelFlightInfo(new CancelFlightInfoRequest(info))
                            .getStatus())
                    .isEqualTo(CancelStatus.CANCELLED);
            assertThatThrownBy(next::get)
                    .cause()
                    .isInstanceOfSatisfying(
                            FlightRuntimeException.class,
                            failure -> assertThat(failure.status().code()).isEqualTo(FlightStatusCode.CANCELLED));
            assertThat(client.cancelFlightInfo(new CancelFlightInfoRequest(info))
                            .getStatus())
                    .isEqualTo(CancelStatus.NOT_CANCELLABLE);
        }
        sql.openStreams.await(0);
    }

    @Test
    void aClientThatGoesAwayLeavesNothing() throws Exception {
        try (FlightClient other = FlightClient.builder(
                        allocator, Location.forGrpcInsecure("127.0.0.1", endpoint.port()))
                .build()) {
            FlightSqlClient second = new FlightSqlClient(other);
            FlightInfo info = second.execute("SELECT n FROM quiet EMIT CHANGES");
            FlightStream stream = second.getStream(info.getEndpoints().get(0).getTicket());
            assertThat(stream.next()).isTrue();
            assertThat(endpoint.openResults()).isEqualTo(1);
            stream.cancel("enough", null);
            sql.openStreams.await(0);
            stream.close();
        }
        sql.openSessions.await(1);
    }

    // ---- sessions

    @Test
    void callsOfOneConnectionShareASession() {
        assertThat(client.executeUpdate("CREATE TABLE a")).isZero();
        assertThat(client.executeUpdate("CREATE TABLE b")).isZero();
        // The other session is the fixture's own.
        assertThat(endpoint.openSessions()).isEqualTo(2);
    }

    @Test
    void aCookieCarriesTheSessionToAnotherConnection() throws Exception {
        ClientCookieMiddleware.Factory cookies = new ClientCookieMiddleware.Factory();
        Location location = Location.forGrpcInsecure("127.0.0.1", endpoint.port());
        try (FlightClient first = FlightClient.builder(allocator, location)
                        .intercept(cookies)
                        .build();
                FlightClient second = FlightClient.builder(allocator, location)
                        .intercept(cookies)
                        .build()) {
            new FlightSqlClient(first).executeUpdate("CREATE TABLE a");
            new FlightSqlClient(second).executeUpdate("CREATE TABLE b");
            assertThat(endpoint.openSessions()).isEqualTo(2);
        }
        sql.openSessions.await(1);
    }

    @Test
    void aHandshakeGivesATokenForTheSession() {
        Optional<CredentialCallOption> token = flight.authenticateBasicToken("me", "secret");
        assertThat(token).isPresent();
        assertThat(sql.opened).last().isEqualTo("me//Z");
        assertThat(client.executeUpdate("CREATE TABLE a", token.get())).isZero();
        assertThat(client.executeUpdate("CREATE TABLE b", new CallOption[] {token.get()}))
                .isZero();
        assertThat(endpoint.openSessions()).isEqualTo(2);
    }

    @Test
    void anEmptyUserAndPasswordAreTaken() {
        assertThat(flight.authenticateBasicToken("", "")).isPresent();
    }

    @Test
    void sessionOptionsAreSetAndRead() {
        SetSessionOptionsResult good = client.setSessionOptions(new SetSessionOptionsRequest(
                Map.of("schema", SessionOptionValueFactory.makeSessionOptionValue("other"))));
        assertThat(good.hasErrors()).isFalse();
        assertThat(client.getSessionOptions(new GetSessionOptionsRequest()).getSessionOptions())
                .containsEntry("schema", SessionOptionValueFactory.makeSessionOptionValue("other"));
        SetSessionOptionsResult bad = client.setSessionOptions(new SetSessionOptionsRequest(
                Map.of("schema", SessionOptionValueFactory.makeSessionOptionValue("nowhere"))));
        assertThat(bad.getErrors()).containsOnlyKeys("schema");
        assertThat(client.closeSession(new CloseSessionRequest()).getStatus()).isNotNull();
        assertThat(endpoint.openSessions()).isEqualTo(1);
    }

    // ---- metadata

    @Test
    void metadataIsListed() throws Exception {
        assertThat(read(client.getCatalogs())).containsExactly(List.of("tailwater"));
        assertThat(read(client.getSchemas(null, "pub%"))).containsExactly(List.of("tailwater", "public"));
        assertThat(read(client.getTableTypes()))
                .containsExactly(List.of("SYSTEM TABLE"), List.of("TABLE"), List.of("VIEW"));
        assertThat(read(client.getTables(null, null, "probe\\_t", List.of("TABLE"), false)))
                .containsExactly(List.of("tailwater", "public", "probe_t", "TABLE"));
        assertThat(read(client.getTables(null, "%", "%", null, false))).hasSize(3);
        assertThat(read(client.getPrimaryKeys(TableRef.of(null, "public", "probe_t"))))
                .containsExactly(List.of("tailwater", "public", "probe_t", "id", "1", "probe_t_pkey"));
        assertThat(read(client.getImportedKeys(TableRef.of(null, null, "probe_t"))))
                .isEmpty();
        assertThat(read(client.getExportedKeys(TableRef.of(null, null, "probe_t"))))
                .isEmpty();
        assertThat(read(client.getCrossReference(TableRef.of(null, null, "a"), TableRef.of(null, null, "b"))))
                .isEmpty();
    }

    @Test
    void typesAndServerAreDescribed() throws Exception {
        List<List<String>> types = read(client.getXdbcTypeInfo());
        assertThat(types).hasSize(16);
        assertThat(types).extracting(row -> row.get(0)).contains("VARCHAR", "DECIMAL", "TIMESTAMP");
        FlightInfo info = client.getSqlInfo(new int[0]);
        assertThat(info.getSchema()).isEqualTo(Schemas.GET_SQL_INFO_SCHEMA);
        assertThat(read(info)).extracting(row -> row.get(1)).contains("Tailwater", CatalogAnswers.PRODUCT_VERSION);
    }

    @Test
    void whatThereIsNotIsRefusedByName() {
        FlightRuntimeException failure =
                catchThrowableOfType(FlightRuntimeException.class, () -> client.beginTransaction());
        assertThat(failure.status().code()).isEqualTo(CallStatus.UNIMPLEMENTED.code());
    }

    private static Field field(String name, FieldVector vector) {
        try (vector) {
            return new Field(name, vector.getField().getFieldType(), null);
        }
    }

    private List<List<String>> read(FlightInfo info) throws Exception {
        List<List<String>> rows = new ArrayList<>();
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            while (stream.next()) {
                VectorSchemaRoot root = stream.getRoot();
                for (int row = 0; row < root.getRowCount(); row++) {
                    List<String> values = new ArrayList<>();
                    for (FieldVector vector : root.getFieldVectors()) {
                        values.add(String.valueOf(vector.getObject(row)));
                    }
                    rows.add(values);
                }
            }
        }
        return rows;
    }
}
