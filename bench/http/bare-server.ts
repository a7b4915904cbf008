import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { H3 } from 'h3'
import { toNodeHandler } from 'h3/node'
import * as z from 'zod/mini'
import { answerParent } from '../child.ts'

/** What the floor can be asked for. */
export type BareServerCalls = typeof calls

// The floor: the same routes on the same framework, which parse the same bodies with the same schemas and do no more.
const { sendHeartbeat, listPendingSearches, reportSearch } = deviceCloudOperations
const app = new H3()
  .post(sendHeartbeat.path, async (event) => {
    z.parse(sendHeartbeat.body, await event.req.json())
    return { success: true, status: 'online' }
  })
  .get(listPendingSearches.path, () => ({ requests: [] }))
  .post(reportSearch.path, async (event) => {
    const { queryId } = z.parse(reportSearch.body, await event.req.json())
    return { success: true, queryId, status: 'completed' }
  })

const server = createServer(toNodeHandler(app)).listen(0, '127.0.0.1')
await once(server, 'listening')

const calls = {
  port: () => (server.address() as AddressInfo).port,
  cpuMicros: () => process.cpuUsage().user + process.cpuUsage().system,
}
answerParent(calls)
