import { deviceOperations } from '@homeward/contract/device-cloud'
import * as z from 'zod/mini'

/** A listed request with an undocumented format. */
export interface InvalidRequest {
  /** `id` of the request, at most 200 characters; empty if missing. */
  readonly id: string
  /** Invalid field, such as `scope.0`; empty if the request is not an object. */
  readonly field: string
}

const { listPendingSearches, listPendingUploads, takeWork } = deviceOperations
const rows = z.array(z.unknown())
const reply = z.object({ requests: rows })

/** The pending lists with rows as they came: an invalid one must not hide the others. */
export const pendingOperations = {
  listPendingSearches: { ...listPendingSearches, reply },
  listPendingUploads: { ...listPendingUploads, reply },
  takeWork: { ...takeWork, reply: z.object({ searches: rows, uploads: rows }) },
}

/** Reads each row for itself. */
export function readRows<Request>(
  row: z.ZodMiniType<Request>,
  rows: readonly unknown[],
): { readonly requests: readonly Request[]; readonly invalid: readonly InvalidRequest[] } {
  const requests: Request[] = []
  const invalid: InvalidRequest[] = []
  for (const given of rows) {
    const { data, error } = z.safeParse(row, given)
    if (data) requests.push(data)
    else invalid.push({ id: idOf(given), field: error?.issues[0]?.path.join('.') ?? '' })
  }
  return { requests, invalid }
}

function idOf(row: unknown): string {
  const id = (row as { readonly id?: unknown } | null)?.id
  return typeof id === 'string' ? id.slice(0, 200) : ''
}
