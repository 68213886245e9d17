/// Object identifiers of the types this module speaks (`pg_type.dat` in PostgreSQL's source; they never change).
enum TypeID {
    /// boolean
    static let bool: UInt32 = 16
    /// bytea
    static let bytea: UInt32 = 17
    /// name
    static let name: UInt32 = 19
    /// bigint
    static let int8: UInt32 = 20
    /// smallint
    static let int2: UInt32 = 21
    /// integer
    static let int4: UInt32 = 23
    /// text
    static let text: UInt32 = 25
    /// character varying
    static let varchar: UInt32 = 1043
    /// timestamp with time zone
    static let timestamptz: UInt32 = 1184
    /// boolean[]
    static let boolArray: UInt32 = 1000
    /// bytea[]
    static let byteaArray: UInt32 = 1001
    /// text[]
    static let textArray: UInt32 = 1009
    /// bigint[]
    static let int8Array: UInt32 = 1016
    /// timestamp with time zone[]
    static let timestamptzArray: UInt32 = 1185
}
