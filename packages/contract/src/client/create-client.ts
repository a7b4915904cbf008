import type { Operation, OperationTable, ReplyOf } from '../operation.ts'
import type { CallArguments, CallInput } from './call-input.ts'
import { type ClientOptions, createCaller } from './create-caller.ts'

/** One typed function for each operation of a table. */
export type Client<Table extends OperationTable> = {
  readonly [Id in keyof Table]: (...input: CallArguments<Table[Id]>) => Promise<ReplyOf<Table[Id]>>
}

/**
 * Creates a typed client from a table of operations.
 *
 * Each call sends exactly one request: no retries, no redirects. Every response is checked against its schema and
 * limited in size and time.
 *
 * @throws {ClientError} if the base URL is invalid, and from the calls; a call whose signal aborts rejects with the
 * signal's reason.
 * @throws {TypeError} from a call with a signal as its first or second argument.
 * @example
 * const client = createClient(deviceCloudOperations, { baseUrl: 'http://127.0.0.1:3000' })
 * const { searchQueries } = await client.createSearches({
 *   body: { query: 'report', scope: ['files'], deviceIds: [id] },
 * })
 */
export function createClient<const Table extends OperationTable>(
  operations: Table,
  options: ClientOptions,
): Client<Table> {
  const call = createCaller<OperationTable>(operations, options)
  const functions = Object.keys(operations).map((id) => [
    id,
    async (input?: CallInput<Operation>, ...others: unknown[]) => {
      refuseSignals(id, [input, ...others])
      return (await call(id, input)).body
    },
  ])
  // One function for each key of the table, by construction.
  return Object.fromEntries(functions) as Client<Table>
}

/** Where no types are checked, a signal behind the input or instead of it would go unnoticed. What else stands there may. */
function refuseSignals(id: string, values: readonly unknown[]): void {
  if (!values.some((value) => value instanceof AbortSignal)) return
  throw new TypeError(`Calling ${id} failed: the signal must be a part of the argument. Pass { signal }.`)
}
