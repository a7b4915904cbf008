import * as z from 'zod'

/** The entry of a backup that says what the rest is. */
export const manifestName = 'backup.json'

/** Folder of a backup with the files of the data home. */
export const homeFolder = 'home/'

/** Folder of a backup with the rows of Postgres: a folder for each schema. */
export const rowsFolder = 'postgres/'

/** Names are printed, so a file that somebody made up must not bring more than names. */
const Name = z.string().regex(/^[\w.+-]{1,100}$/)

const Schema = z.object({
  /** Name of the schema in Postgres. */
  name: Name,
  version: z.number(),
  /** In the order in which they can be filled: what a row refers to comes first. */
  tables: z.array(Name),
  sequences: z.array(z.object({ name: Name, value: z.string(), isCalled: z.boolean() })),
})

/** What a backup holds. */
export const BackupManifest = z.object({
  /** Of this format. */
  format: z.literal(1),
  created_at: z.iso.datetime(),
  /** Of the program that made it. */
  homeward: Name,
  /** SQLite files in the data home, with the versions of their schemas. */
  sqlite: z.array(z.object({ file: Name, version: z.number() })),
  postgres: z.array(Schema),
})
export type BackupManifest = z.infer<typeof BackupManifest>
export type PostgresSchema = z.infer<typeof Schema>
