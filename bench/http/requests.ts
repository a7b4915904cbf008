import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import type { RegisteredDevice } from './subject-server.ts'

/** What devices send, as the interface documents it. */
export const operationNames = ['heartbeat', 'poll', 'report'] as const
export type OperationName = (typeof operationNames)[number]

const operations = {
  heartbeat: deviceCloudOperations.sendHeartbeat,
  poll: deviceCloudOperations.listPendingSearches,
  report: deviceCloudOperations.reportSearch,
}

const metadata = { os: 'Linux 6.12', version: '1.4.0', hardware: '4 cores, 8 GiB' }
const files = Array.from({ length: 5 }, (_, index) => ({
  path: `/home/ada/Documents/2026/invoice-${index}.pdf`,
  name: `invoice-${index}.pdf`,
  size: 48_213 + index,
  modified: '2026-03-14T09:26:53.000Z',
}))
const system = { cpu: '4 cores', memory: '8 GiB, 61 % free', disk: '512 GB, 40 % free' }

/** Whole HTTP/1.1 requests, one for each device; a report needs the search that each device settles. */
export function toRequests(
  name: OperationName,
  devices: readonly RegisteredDevice[],
  port: number,
  queryIds: readonly string[] = [],
): readonly Buffer[] {
  return devices.map(({ apiKey }, index) => toRequest(name, apiKey, port, toBody(name, queryIds[index])))
}

function toBody(name: OperationName, queryId: string | undefined): object | undefined {
  if (name === 'heartbeat') return { metadata }
  if (name === 'poll') return undefined
  return { queryId, query: 'invoice', scope: ['files', 'system'], results: { files, system }, error: null }
}

function toRequest(name: OperationName, apiKey: string, port: number, body: object | undefined): Buffer {
  const { method, path } = operations[name]
  const text = body === undefined ? '' : JSON.stringify(body)
  const length = Buffer.byteLength(text)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${apiKey}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${length}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`)
}

/** Whether an answer is the documented success. */
export function isRightAnswer(name: OperationName, status: number, body: string): boolean {
  if (status !== 200) return false
  if (name === 'heartbeat') return body.startsWith('{"success":true,"status":"online"')
  if (name === 'poll') return body === '{"requests":[]}'
  return /^\{"success":true,"queryId":"[^"]+","status":"completed"\}$/.test(body)
}
