/** The platform types that the stores need; all of them would clash with Node's and the DOM's. */
type D1Database = import("@cloudflare/workers-types").D1Database;
type D1PreparedStatement = import("@cloudflare/workers-types").D1PreparedStatement;
