import type { OperationTable } from '@homeward/contract'

/**
 * Calls each operation of a table once, with nothing that could be used.
 *
 * @returns the operations that the host did not pass on: an answer of a handler has a request id, whatever it says.
 */
export async function unansweredOperations(
  baseUrl: string,
  operations: OperationTable,
  given: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const unanswered: string[] = []
  for (const [id, { method, path, body }] of Object.entries(operations)) {
    const url = baseUrl + path.replaceAll(/\{\w+\}/g, 'none')
    const headers = { ...given, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(url, { method, headers, ...(body && { body: '{}' }) })
    await response.body?.cancel()
    if (!response.headers.has('x-request-id')) unanswered.push(`${id}: ${method} ${path}`)
  }
  return unanswered
}
