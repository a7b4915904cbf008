import type { Kysely } from 'kysely'

/** Builds the SQL of one database and runs nothing. */
export type SqlBuilder<Tables> = Kysely<Tables>
