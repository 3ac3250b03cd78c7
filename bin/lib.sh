# Shared by the scripts of this directory; sourced, never run. Sets nothing but functions and the variables named below.
#
# home    the project's root, absolute, symlinks resolved
# stamp   touched after each successful build
# cds     archives of loaded classes, which make Java start in half the time; Java checks them and does without if they do not fit

# Prints the absolute path of the directory that holds file $1, following symlinks.
real_dir() {
    dirname -- "$(readlink -f -- "$1")"
}

home=$(dirname -- "$(real_dir "${BASH_SOURCE[0]}")")
version=0.1.0-SNAPSHOT
server_jar=$home/server/target/server-$version.jar
cli_jar=$home/cli/target/cli-$version.jar
driver_jar=$home/jdbc-driver/target/tailwater-jdbc.jar
stamp=$home/target/.built
cds=$home/target/cds

say() { printf '%s\n' "$*" >&2; }

die() {
    say "tailwater: $1"
    shift
    for line in "$@"; do say "  $line"; done
    exit 1
}

install_command() {
    if command -v apt-get >/dev/null 2>&1; then
        echo 'sudo apt-get install openjdk-17-jdk-headless maven'
    elif command -v dnf >/dev/null 2>&1; then
        echo 'sudo dnf install java-17-openjdk-devel maven'
    elif command -v brew >/dev/null 2>&1; then
        echo 'brew install openjdk@17 maven'
    else
        echo 'install a JDK 17 or newer and Maven 3.8.7 or newer'
    fi
}

# Prints the feature version (17, 21, ...) of the Java at $1; nothing if it cannot be told.
java_feature() {
    local release full
    release=$(real_dir "$1")/../release
    if [ -r "$release" ]; then
        full=$(sed -n 's/^JAVA_VERSION="\([^"]*\)".*/\1/p' "$release")
    fi
    if [ -z "${full:-}" ]; then
        full=$("$1" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p' | head -n 1)
    fi
    full=${full#1.}
    printf '%s\n' "${full%%[!0-9]*}"
}

# Sets java and feature, or ends with a message.
find_java() {
    if [ -n "${JAVA_HOME:-}" ]; then
        java=$JAVA_HOME/bin/java
        [ -x "$java" ] || die "JAVA_HOME is $JAVA_HOME, but there is no $java." \
            "Unset JAVA_HOME or point it at a JDK 17 or newer; to install one: $(install_command)"
    else
        java=$(command -v java) || die "Java is missing; Tailwater needs a JDK 17 or newer." "Install it: $(install_command)"
    fi
    feature=$(java_feature "$java")
    [ -n "$feature" ] || die "cannot tell the version of $java." "Tailwater needs a JDK 17 or newer: $(install_command)"
    [ "$feature" -ge 17 ] || die "Java $feature ($java) is too old; Tailwater needs a JDK 17 or newer." \
        "Install it: $(install_command)"
}

# Ends with a message unless a JDK (not only a runtime) and a new enough Maven are there.
check_build_tools() {
    find_java
    [ -x "$(real_dir "$java")/javac" ] || die "$java is a runtime without a compiler; building Tailwater needs a JDK." \
        "Install it: $(install_command)"
    command -v mvn >/dev/null 2>&1 || die "Maven is missing; building Tailwater needs Maven 3.8.7 or newer." \
        "Install it: $(install_command)"
    local maven major minor patch
    maven=$(mvn -version 2>/dev/null | sed -n 's/.*Apache Maven \([0-9.]*\).*/\1/p' | head -n 1)
    [ -n "$maven" ] || die "'mvn -version' does not work; building Tailwater needs Maven 3.8.7 or newer." \
        "Install it: $(install_command)"
    IFS=. read -r major minor patch <<<"$maven"
    if [ $((major * 1000000 + ${minor:-0} * 1000 + ${patch:-0})) -lt 3008007 ]; then
        die "Maven $maven is too old; building Tailwater needs Maven 3.8.7 or newer." "Install it: $(install_command)"
    fi
}

# Tests write to a real PostgreSQL: installs it if it is missing, or ends with a message.
check_postgres() {
    if compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null 2>&1; then
        return
    fi
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
        say 'Installing PostgreSQL for the tests ...'
        export DEBIAN_FRONTEND=noninteractive
        if apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends postgresql >&2; then
            return
        fi
    fi
    die 'PostgreSQL is missing; tests of the jdbc connector write to one.' \
        'Install it: sudo apt-get install postgresql (or your system'"'"'s package); it need not run.'
}

# True if everything runnable is there and no source is newer than it.
is_built() {
    [ -f "$server_jar" ] && [ -f "$cli_jar" ] && [ -f "$stamp" ] || return 1
    local roots=() module
    for module in "$home"/*/pom.xml "$home"/connectors/*/pom.xml; do
        roots+=("$module")
        [ -d "${module%pom.xml}src/main" ] && roots+=("${module%pom.xml}src/main")
    done
    [ -z "$(find "$home/pom.xml" "${roots[@]}" -newer "$stamp" -print -quit 2>/dev/null)" ]
}
