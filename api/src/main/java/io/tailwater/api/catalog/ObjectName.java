package io.tailwater.api.catalog;

/** Schema-qualified name of a catalog object, as created. Ordered by schema, then name. Immutable. */
public record ObjectName(String schema, String name) implements Comparable<ObjectName> {
    /** Where unqualified names live. */
    public static final String PUBLIC = "public";

    /** The one catalog; a name may begin with it. */
    public static final String CATALOG = "tailwater";

    public static ObjectName inPublic(String name) {
        return new ObjectName(PUBLIC, name);
    }

    @Override
    public int compareTo(ObjectName other) {
        int bySchema = schema.compareTo(other.schema);
        return bySchema != 0 ? bySchema : name.compareTo(other.name);
    }

    /** For messages: without the schema if it is the default one. */
    @Override
    public String toString() {
        return schema.equals(PUBLIC) ? name : schema + "." + name;
    }
}
