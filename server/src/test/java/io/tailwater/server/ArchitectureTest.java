package io.tailwater.server;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@AnalyzeClasses(packages = "io.tailwater", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    // spotless:off
    @ArchTest
    static final ArchRule ARROWS_POINT_DOWN = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.tailwater..")
            .layer("server").definedBy("..tailwater.server..")
            .layer("planner").definedBy("..tailwater.planner..")
            .layer("executor").definedBy("..tailwater.executor..")
            .layer("storage").definedBy("..tailwater.storage..")
            .layer("connectors").definedBy("..tailwater.connector..")
            .layer("api").definedBy("..tailwater.api..")
            .layer("common").definedBy("..tailwater.common..")
            .optionalLayer("jdbc").definedBy("..tailwater.jdbc..")
            .optionalLayer("testing").definedBy("..tailwater.testing..")
            .whereLayer("server").mayNotBeAccessedByAnyLayer()
            .whereLayer("jdbc").mayNotBeAccessedByAnyLayer()
            .whereLayer("planner").mayOnlyBeAccessedByLayers("server")
            .whereLayer("executor").mayOnlyBeAccessedByLayers("server")
            .whereLayer("storage").mayOnlyBeAccessedByLayers("server")
            .whereLayer("connectors").mayOnlyBeAccessedByLayers("server")
            .whereLayer("api").mayOnlyAccessLayers("common")
            .whereLayer("common").mayNotAccessAnyLayer();
    // spotless:on

    @ArchTest
    static final ArchRule NO_CYCLES = slices().matching("io.tailwater.(**)")
            .should()
            .beFreeOfCycles()
            // A name is no knowledge of the catalog, a session's schema and zone are plain input, and results are
            // handed out in the form that sessions give to
            // endpoints.
            .ignoreDependency(
                    resideInAPackage("..planner.validate.."), equivalentTo(io.tailwater.planner.Session.class))
            .ignoreDependency(resideInAPackage("..api.plan.."), equivalentTo(ObjectName.class))
            .ignoreDependency(
                    resideInAPackage("..server.engine.."),
                    equivalentTo(ResultStream.class)
                            .or(equivalentTo(ResultStream.Next.class))
                            .or(equivalentTo(ResultStream.Next.Rows.class))
                            .or(equivalentTo(ResultStream.Next.Quiet.class))
                            .or(equivalentTo(ResultStream.Next.End.class))
                            .or(equivalentTo(CancelSignal.class)));

    @ArchTest
    static final ArchRule CONTROL_PLANE_IS_PURE = noClasses()
            .that()
            .resideInAPackage("..server.control..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.io..",
                    "java.nio..",
                    "java.net..",
                    "java.util.concurrent..",
                    "io.netty..",
                    "org.slf4j..",
                    "org.apache.arrow..",
                    "..server.engine..",
                    "..server.sql..",
                    "..server.flight..")
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(Thread.class, ThreadLocal.class)
            .because("a control-plane decision must be a function of its inputs, so that a seed replays it")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule CONTROL_PLANE_IS_DETERMINISTIC = noClasses()
            .that()
            .resideInAPackage("..server.control..")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "identityHashCode", Object.class)
            .orShould()
            .callMethod(java.util.UUID.class, "randomUUID")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .callMethodWhere(target(owner(resideInAPackage("java.time.."))).and(target(name("now"))))
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(java.util.HashMap.class, java.util.HashSet.class, java.util.IdentityHashMap.class)
            .orShould()
            .callMethodWhere(target(owner(assignableTo(java.util.Set.class).or(assignableTo(java.util.Map.class))))
                    .and(target(name("of").or(name("copyOf")).or(name("ofEntries")))))
            .orShould()
            .callMethodWhere(target(owner(equivalentTo(java.util.stream.Collectors.class)))
                    .and(target(
                            nameMatching("toSet|toMap|toUnmodifiableSet|toUnmodifiableMap|groupingBy|partitioningBy"))))
            .because("their iteration order differs from one JVM to the next")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule ONLY_THE_PLANNER_SEES_CALCITE = noClasses()
            .that()
            .resideOutsideOfPackage("..tailwater.planner..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.calcite..");

    @ArchTest
    static final ArchRule ENDPOINTS_KNOW_ONLY_SESSIONS = noClasses()
            .that()
            .resideInAPackage("..server.flight..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "..tailwater.planner..", "..tailwater.executor..", "..tailwater.storage..", "..server.engine..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule THE_ENGINE_KNOWS_NO_SQL = noClasses()
            .that()
            .resideInAPackage("..server.engine..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..tailwater.planner..", "..server.flight..");

    @ArchTest
    static final ArchRule TIME_HAS_ONE_SOURCE = noClasses()
            .that()
            .resideOutsideOfPackages("..common.time..", "..tailwater.jdbc..", "..testing..", "..benchmarks..")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");

    @ArchTest
    static final ArchRule COMMON_NEEDS_ONLY_THE_JDK = classes()
            .that()
            .resideInAPackage("..tailwater.common..")
            .should()
            .onlyDependOnClassesThat(resideInAPackage("java..")
                    .or(resideInAPackage("..tailwater.common.."))
                    .or(resideInAPackage("org.jspecify..")));
}
