import type { Connections, PooledConnection } from './connect.ts'
import { isUseless } from './to-postgres-failure.ts'

/** Runs work with a connection of the pool and returns the connection. A connection in an unknown state is closed. */
export async function useConnection<Result>(
  pool: Connections['pool'],
  work: (client: PooledConnection) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let isSound = false
  try {
    const result = await work(client)
    isSound = true
    return result
  } catch (error) {
    isSound = !isUseless(error) && (await canRollBack(client))
    throw error
  } finally {
    client.release(!isSound)
  }
}

/** Ends a transaction, if there is one. */
async function canRollBack(client: PooledConnection): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  )
}
