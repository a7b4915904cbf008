import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { toOpenApi } from '@homeward/contract/openapi'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { openCloud } from '../wire/cloud-faces.ts'
import { createRawClient } from '../wire/raw-client.ts'
import { createAnswerCheck } from './answer-check.ts'
import { drawRequest, type DrawnDocument, type DrawnRequest } from './draw-request.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 400)

// Plain JSON, as a client reads it.
const document = JSON.parse(
  JSON.stringify(toOpenApi({ operations: deviceCloudOperations, title: 'Device cloud', version: '1.0.0' })),
) as DrawnDocument
const check = createAnswerCheck(document)

/** Ids that an answer says were created, and where they must be found. */
function created({ method, template }: DrawnRequest, body: Record<string, unknown>): string[] {
  if (method !== 'POST' || body['success'] === false) return []
  const rows = template === '/api/devices/search/query' ? body['searchQueries'] : body['uploadRequests']
  return Array.isArray(rows) ? rows.map((row: { id: string }) => row.id) : []
}

it.each(['memory', 'sqlite'] as const)(
  'C20: answers every request as the document says, never with 500, and keeps what it took (%s)',
  { timeout: 600_000 },
  async (store) => {
    await using cloud = await openCloud({ store, transport: 'node:http' })
    const client = createRawClient(cloud)
    const device = await client.register()
    const [searchId = ''] = await client.search([device.id])
    // what was there before must be there afterwards, and so must all that is created meanwhile
    const kept = [searchId]
    const ids = [device.id, searchId, 'unknown']
    const requests = drawRequest(document, ids, [
      '',
      device.headers.Authorization,
      'Bearer hw_nobody',
      'Basic x',
    ])
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        // the one device that requests are drawn for stays
        fc.pre(!(request.method === 'DELETE' && request.path.includes(device.id)))
        const { method, headers, body = null, path } = request
        const response = await cloud.fetch(cloud.baseUrl + path, { method, headers, body })
        const copy = response.clone()
        expect(await check(request, response), `${method} ${path} ${String(body)}`).toBeUndefined()
        if (copy.ok && copy.headers.get('content-type')?.includes('json')) {
          kept.push(...created(request, (await copy.json()) as Record<string, unknown>))
        }
      }),
      { numRuns },
    )
    expect(cloud.errors).toEqual([])
    for (const id of kept) {
      const searches = await client.get(`/api/devices/search/query?queryId=${id}`)
      const uploads = await client.get(`/api/devices/files/upload-requests?requestId=${id}`)
      expect([
        ...(searches.json['results'] as unknown[]),
        ...(uploads.json['results'] as unknown[]),
      ]).toHaveLength(1)
    }
  },
)
