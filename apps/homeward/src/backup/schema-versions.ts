/** The newest versions of the database schemas that this release knows. */
export interface SchemaVersions {
  /** By the file in the data home. */
  readonly sqlite: Readonly<Record<string, number>>
  /** By the name of the schema. */
  readonly postgres: Readonly<Record<string, number>>
}

/** Asks the stores. */
export async function readSchemaVersions(): Promise<SchemaVersions> {
  const [cloud, agents, cloudPostgres, agentsPostgres] = await Promise.all([
    import('@homeward/cloud-core/sqlite'),
    import('@homeward/agent-runtime/sqlite'),
    import('@homeward/cloud-core/postgres'),
    import('@homeward/agent-runtime/postgres'),
  ])
  return {
    sqlite: { 'cloud.db': cloud.sqliteSchemaVersion, 'agents.db': agents.sqliteSchemaVersion },
    postgres: {
      homeward_cloud: cloudPostgres.postgresSchemaVersion,
      homeward: agentsPostgres.postgresSchemaVersion,
    },
  }
}
