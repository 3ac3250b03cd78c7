<#-- Tailwater's statements. Each production yields a record of Syntax; TailwaterStatement wraps it in a node. EMIT is reserved, so that it is never
     taken for an alias. -->

SqlNode TailwaterStatement() :
{
    final Span s;
    final Syntax syntax;
}
{
    { s = Span.of(); }
    (
        <CREATE> { s.add(this); } syntax = TailwaterCreate(s)
    |
        <DROP> { s.add(this); } syntax = TailwaterDrop()
    |
        <ALTER> { s.add(this); } syntax = TailwaterAlter()
    |
        <SHOW> { s.add(this); } syntax = TailwaterShow()
    |
        ( <DESCRIBE> | <DESC> ) { s.add(this); } syntax = TailwaterDescribe()
    |
        <EXPLAIN> { s.add(this); } syntax = TailwaterExplain()
    |
        <PAUSE> { s.add(this); } <JOB> syntax = TailwaterPause(true)
    |
        <RESUME> { s.add(this); } <JOB> syntax = TailwaterPause(false)
    |
        <WAIT> { s.add(this); } <FOR> syntax = TailwaterWait()
    |
        <SET> { s.add(this); } syntax = TailwaterSet()
    |
        <RESET> { s.add(this); } syntax = TailwaterReset()
    |
        syntax = TailwaterInsert()
    |
        syntax = TailwaterQuery()
    )
    {
        return new StatementNode(s.end(this), syntax);
    }
}

Syntax TailwaterInsert() :
{
    final SqlNode insert;
    Syntax.Emit emit = Syntax.Emit.NONE;
}
{
    insert = SqlInsert()
    [ emit = EmitClause() ]
    { return new Syntax.Insert(insert, emit); }
}

Syntax.Query TailwaterQuery() :
{
    final SqlNode query;
    Syntax.Emit emit = Syntax.Emit.NONE;
}
{
    query = OrderedQueryOrExpr(ExprContext.ACCEPT_QUERY)
    [ emit = EmitClause() ]
    { return new Syntax.Query(query, emit); }
}

Syntax.Emit EmitClause() :
{}
{
    <EMIT>
    (
        <CHANGES> { return Syntax.Emit.CHANGES; }
    |
        <ON> <WINDOW> <CLOSE> { return Syntax.Emit.ON_WINDOW_CLOSE; }
    )
}

boolean IfNotExistsOpt() :
{}
{
    LOOKAHEAD(3)
    <IF> <NOT> <EXISTS> { return true; }
|
    { return false; }
}

boolean IfExistsOpt() :
{}
{
    LOOKAHEAD(2)
    <IF> <EXISTS> { return true; }
|
    { return false; }
}

Syntax TailwaterCreate(Span s) :
{
    boolean replace = false;
    final Syntax syntax;
}
{
    [ <OR> <REPLACE> { replace = true; } ]
    (
        <STREAM> syntax = CreateStreamTail(replace)
    |
        <TABLE> syntax = CreateTableTail(replace)
    |
        <VIEW> syntax = CreateViewTail(replace, false)
    |
        <MATERIALIZED> <VIEW> syntax = CreateViewTail(replace, true)
    |
        <JOB> syntax = CreateJobTail(replace)
    |
        <RECOVERY> <POINT> syntax = CreateRecoveryPointTail(replace)
    )
    { return syntax; }
}

Syntax CreateStreamTail(boolean replace) :
{
    final boolean ifNotExists;
    final SqlIdentifier name;
    final List<Syntax.ColumnDef> columns = new ArrayList<Syntax.ColumnDef>();
    final List<SqlIdentifier> key = new ArrayList<SqlIdentifier>();
    final List<Syntax.WatermarkDef> watermarks = new ArrayList<Syntax.WatermarkDef>();
    List<SqlIdentifier> partitionBy = new ArrayList<SqlIdentifier>();
    List<Syntax.Option> props = new ArrayList<Syntax.Option>();
}
{
    ifNotExists = IfNotExistsOpt()
    name = CompoundIdentifier()
    [ LOOKAHEAD(1) TableElements(columns, key, watermarks) ]
    [ ( <PARTITION> | <PARTITIONED> ) <BY> partitionBy = NameList() ]
    [ <WITH> props = WithOptions() ]
    {
        return new Syntax.CreateStream(name, replace, ifNotExists, columns, key, watermarks, partitionBy, props);
    }
}

Syntax CreateTableTail(boolean replace) :
{
    final boolean ifNotExists;
    final SqlIdentifier name;
    final List<Syntax.ColumnDef> columns = new ArrayList<Syntax.ColumnDef>();
    final List<SqlIdentifier> key = new ArrayList<SqlIdentifier>();
    final List<Syntax.WatermarkDef> watermarks = new ArrayList<Syntax.WatermarkDef>();
    List<Syntax.Option> props = new ArrayList<Syntax.Option>();
}
{
    ifNotExists = IfNotExistsOpt()
    name = CompoundIdentifier()
    [ LOOKAHEAD(1) TableElements(columns, key, watermarks) ]
    [ <WITH> props = WithOptions() ]
    {
        return new Syntax.CreateTable(name, replace, ifNotExists, columns, key, watermarks, props);
    }
}

void TableElements(List<Syntax.ColumnDef> columns, List<SqlIdentifier> key, List<Syntax.WatermarkDef> watermarks) :
{}
{
    <LPAREN> TableElement(columns, key, watermarks) ( LOOKAHEAD(1) <COMMA> TableElement(columns, key, watermarks) )* <RPAREN>
}

void TableElement(List<Syntax.ColumnDef> columns, List<SqlIdentifier> key, List<Syntax.WatermarkDef> watermarks) :
{
    final SqlIdentifier name;
    final SqlDataTypeSpec type;
    SqlNode expression;
    SqlNode lateness = null;
    List<SqlIdentifier> names;
    boolean notNull = false;
    boolean primaryKey = false;
}
{
    LOOKAHEAD(2)
    <WATERMARK> <FOR> name = SimpleIdentifier() <AS> expression = Expression(ExprContext.ACCEPT_NON_QUERY)
    [ <LATENESS> lateness = Expression(ExprContext.ACCEPT_NON_QUERY) ]
    { watermarks.add(new Syntax.WatermarkDef(name, expression, lateness)); }
|
    [ <CONSTRAINT> SimpleIdentifier() ]
    <PRIMARY> <KEY> names = NameList()
    { key.addAll(names); }
|
    name = SimpleIdentifier()
    type = DataType()
    (
        <NOT> <NULL> { notNull = true; }
    |
        <NULL>
    |
        <PRIMARY> <KEY> { primaryKey = true; }
    )*
    { columns.add(new Syntax.ColumnDef(name, type, notNull, primaryKey)); }
}

List<SqlIdentifier> NameList() :
{
    final List<SqlIdentifier> names = new ArrayList<SqlIdentifier>();
    SqlIdentifier name;
}
{
    <LPAREN> name = SimpleIdentifier() { names.add(name); } ( LOOKAHEAD(1) <COMMA> name = SimpleIdentifier() { names.add(name); } )* <RPAREN>
    { return names; }
}

List<Syntax.Option> WithOptions() :
{
    final List<Syntax.Option> props = new ArrayList<Syntax.Option>();
}
{
    <LPAREN> WithOption(props) ( LOOKAHEAD(1) <COMMA> WithOption(props) )* <RPAREN>
    { return props; }
}

void WithOption(List<Syntax.Option> props) :
{
    final SqlNode key;
    final SqlNode value;
}
{
    (
        key = StringLiteral()
    |
        key = CompoundIdentifier()
    |
        <NULL> { key = new SqlIdentifier("null", getPos()); }
    |
        <TABLE> { key = new SqlIdentifier("table", getPos()); }
    |
        <USER> { key = new SqlIdentifier("user", getPos()); }
    )
    <EQ>
    value = OptionValue()
    { props.add(new Syntax.Option(key, value)); }
}

SqlNode OptionValue() :
{
    SqlNode value;
}
{
    (
        LOOKAHEAD(2)
        value = Literal()
    |
        value = CompoundIdentifier()
    |
        <ON> { value = SqlLiteral.createBoolean(true, getPos()); }
    )
    { return value; }
}

Syntax CreateViewTail(boolean replace, boolean materialized) :
{
    final boolean ifNotExists;
    final SqlIdentifier name;
    List<SqlIdentifier> columns = new ArrayList<SqlIdentifier>();
    final SqlParserPos start;
    final Syntax.Query query;
}
{
    ifNotExists = IfNotExistsOpt()
    name = CompoundIdentifier()
    [ columns = NameList() ]
    <AS>
    { start = new SqlParserPos(getToken(1).beginLine, getToken(1).beginColumn); }
    query = TailwaterQuery()
    {
        return new Syntax.CreateView(name, replace, ifNotExists, materialized, columns, start, query);
    }
}

Syntax CreateJobTail(boolean replace) :
{
    final boolean ifNotExists;
    final SqlIdentifier name;
    final SqlNode insert;
    Syntax.Emit emit = Syntax.Emit.NONE;
}
{
    ifNotExists = IfNotExistsOpt()
    name = SimpleIdentifier()
    <AS> insert = SqlInsert()
    [ emit = EmitClause() ]
    {
        return new Syntax.CreateJob(name, replace, ifNotExists, insert, emit);
    }
}

Syntax CreateRecoveryPointTail(boolean replace) :
{
    final boolean ifNotExists;
    final SqlIdentifier name;
    SqlIdentifier application = null;
}
{
    ifNotExists = IfNotExistsOpt()
    name = SimpleIdentifier()
    [ <FOR> <APPLICATION> application = ApplicationName() ]
    { return new Syntax.CreateRecoveryPoint(name, replace, ifNotExists, application); }
}

<#-- DEFAULT is reserved, and the name of the only application. -->
SqlIdentifier ApplicationName() :
{
    final SqlIdentifier name;
}
{
    name = SimpleIdentifier() { return name; }
|
    <DEFAULT_> { return new SqlIdentifier("default", getPos()); }
}

Syntax TailwaterAlter() :
{
    final SqlIdentifier name;
    final SqlIdentifier point;
}
{
    <JOB> name = CompoundIdentifier()
    <ROLLBACK> <TO> <RECOVERY> <POINT> point = SimpleIdentifier()
    { return new Syntax.RollbackJob(name, point); }
|
    <APPLICATION> name = ApplicationName()
    <ROLLBACK> <TO> <RECOVERY> <POINT> point = SimpleIdentifier()
    { return new Syntax.RollbackApplication(name, point); }
}

Syntax TailwaterDrop() :
{
    final Syntax.ObjectKind kind;
    final boolean ifExists;
    final SqlIdentifier name;
    boolean cascade = false;
}
{
    <RECOVERY> <POINT>
    ifExists = IfExistsOpt()
    name = SimpleIdentifier()
    { return new Syntax.DropRecoveryPoint(name, ifExists); }
|
    kind = ObjectKindName()
    ifExists = IfExistsOpt()
    name = CompoundIdentifier()
    [ <CASCADE> { cascade = true; } | <RESTRICT> ]
    { return new Syntax.Drop(kind, name, ifExists, cascade); }
}

Syntax.ObjectKind ObjectKindName() :
{}
{
    <STREAM> { return Syntax.ObjectKind.STREAM; }
|
    <TABLE> { return Syntax.ObjectKind.TABLE; }
|
    <VIEW> { return Syntax.ObjectKind.VIEW; }
|
    <MATERIALIZED> <VIEW> { return Syntax.ObjectKind.MATERIALIZED_VIEW; }
|
    <JOB> { return Syntax.ObjectKind.JOB; }
}

Syntax TailwaterShow() :
{
    final String what;
    SqlIdentifier name = null;
    SqlNode like = null;
    Syntax.ObjectKind kind;
}
{
    (
        <CREATE> kind = ObjectKindName() name = CompoundIdentifier()
        { return new Syntax.ShowCreate(kind, name); }
    |
        LOOKAHEAD(2)
        <COLUMNS> ( <FROM> | <IN> ) name = CompoundIdentifier()
        [ <LIKE> like = StringLiteral() ]
        { return new Syntax.Show("COLUMNS", name, like); }
    |
        LOOKAHEAD({ getToken(1).kind == RECOVERY && getToken(2).kind == POINTS })
        <RECOVERY> <POINTS>
        [ <LIKE> like = StringLiteral() ]
        { return new Syntax.Show("RECOVERY_POINTS", null, like); }
    |
        (
            LOOKAHEAD({ getToken(2).kind == EOF || getToken(2).kind == LIKE || getToken(1).kind == MATERIALIZED })
            (
                <STREAMS> { what = "STREAMS"; }
            |
                <TABLES> { what = "TABLES"; }
            |
                <VIEWS> { what = "VIEWS"; }
            |
                <MATERIALIZED> <VIEWS> { what = "MATERIALIZED_VIEWS"; }
            |
                <JOBS> { what = "JOBS"; }
            |
                <SCHEMAS> { what = "SCHEMAS"; }
            |
                <FUNCTIONS> { what = "FUNCTIONS"; }
            |
                <CONNECTORS> { what = "CONNECTORS"; }
            |
                <SETTINGS> { what = "ALL"; }
            |
                <SNAPSHOTS> { what = "SNAPSHOTS"; }
            |
                <ALL> { what = "ALL"; }
            |
                name = CompoundIdentifier() { what = "SETTING"; }
            )
        |
            name = CompoundIdentifier() { what = "SETTING"; }
        )
        [ <LIKE> like = StringLiteral() ]
        { return new Syntax.Show(what, name, like); }
    )
}

Syntax TailwaterDescribe() :
{
    final SqlIdentifier name;
}
{
    LOOKAHEAD({ getToken(1).kind == JOB && getToken(2).kind != EOF })
    <JOB> name = CompoundIdentifier() { return new Syntax.DescribeJob(name); }
|
    LOOKAHEAD({ getToken(1).kind == RECOVERY && getToken(2).kind == POINT })
    <RECOVERY> <POINT> name = SimpleIdentifier() { return new Syntax.DescribeRecoveryPoint(name); }
|
    [ LOOKAHEAD({ getToken(2).kind != EOF && getToken(2).kind != DOT && (getToken(1).kind == TABLE || getToken(1).kind == STREAM || getToken(1).kind == VIEW || getToken(1).kind == MATERIALIZED) }) ( <TABLE> | <STREAM> | [ LOOKAHEAD({ getToken(2).kind == VIEW }) <MATERIALIZED> ] <VIEW> ) ]
    name = CompoundIdentifier() { return new Syntax.Describe(name); }
}

Syntax TailwaterExplain() :
{
    boolean analyze = false;
    final SqlNode statement;
}
{
    LOOKAHEAD({ getToken(1).kind == UPGRADE })
    <UPGRADE> statement = ExplainedQuery()
    { return new Syntax.ExplainUpgrade(statement); }
|
    [ <ANALYZE> { analyze = true; } ]
    [ <PLAN> <FOR> ]
    (
        statement = SqlDelete()
    |
        statement = SqlUpdate()
    |
        statement = ExplainedQuery()
    )
    { return new Syntax.Explain(analyze, statement); }
}

SqlNode ExplainedQuery() :
{
    final Span s = Span.of();
    final Syntax syntax;
}
{
    (
        <CREATE> { s.add(this); } syntax = TailwaterCreate(s)
    |
        syntax = TailwaterInsert()
    |
        syntax = TailwaterQuery()
    )
    { return new StatementNode(s.end(this), syntax); }
}

Syntax TailwaterPause(boolean pause) :
{
    final SqlIdentifier name;
}
{
    name = SimpleIdentifier()
    { return new Syntax.PauseJob(name, pause); }
}

Syntax TailwaterWait() :
{
    final SqlIdentifier name;
    SqlNode timeout = null;
}
{
    [ LOOKAHEAD({ getToken(2).kind != EOF && getToken(2).kind != TIMEOUT && getToken(2).kind != DOT && (getToken(1).kind == TABLE || getToken(1).kind == STREAM || getToken(1).kind == VIEW || getToken(1).kind == MATERIALIZED || getToken(1).kind == JOB) }) ( <JOB> | <STREAM> | <TABLE> | [ <MATERIALIZED> ] <VIEW> ) ]
    name = CompoundIdentifier()
    [ <TIMEOUT> timeout = Literal() ]
    { return new Syntax.WaitFor(name, timeout); }
}

Syntax TailwaterSet() :
{
    final SqlIdentifier key;
    final SqlNode value;
}
{
    (
        <TIME> <ZONE> { key = new SqlIdentifier("timezone", getPos()); }
        [ <EQ> | <TO> ]
    |
        key = CompoundIdentifier()
        ( <EQ> | <TO> )
    )
    value = SetValue()
    { return new Syntax.SetOption(key, value); }
}

SqlNode SetValue() :
{
    SqlNode value;
}
{
    (
        LOOKAHEAD(2)
        value = Literal()
    |
        value = CompoundIdentifier()
    |
        <DEFAULT_> { value = null; }
    |
        <ON> { value = SqlLiteral.createBoolean(true, getPos()); }
    )
    { return value; }
}

Syntax TailwaterReset() :
{
    SqlIdentifier key = null;
}
{
    (
        <ALL>
    |
        key = CompoundIdentifier()
    )
    { return new Syntax.ResetOption(key); }
}

SqlTypeNameSpec TailwaterType() :
{
    int precision = RelDataType.PRECISION_NOT_SPECIFIED;
}
{
    ( <TEXT> | <STRING> )
    { return new SqlBasicTypeNameSpec(SqlTypeName.VARCHAR, getPos()); }
|
    <TIMESTAMPTZ> precision = PrecisionOpt()
    { return new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, precision, getPos()); }
}

<#-- PostgreSQL's x::type. -->
void InfixCast(List<Object> list, ExprContext exprContext, Span s) :
{
    final SqlDataTypeSpec type;
}
{
    <INFIX_CAST> { checkNonQueryExpression(exprContext); }
    type = DataType()
    {
        list.add(new SqlParserUtil.ToTreeListItem(SqlLibraryOperators.INFIX_CAST, s.pos()));
        list.add(type);
    }
}
