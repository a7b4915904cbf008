import type { Kysely } from 'kysely'

/** Builds SQL for one kind of database. Runs nothing. */
export type SqlBuilder<Tables> = Kysely<Tables>
