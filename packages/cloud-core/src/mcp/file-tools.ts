import * as z from 'zod/mini'
import { FilePath, type Upload } from '@homeward/contract/device-cloud'
import { truncateText, toolError, type McpResult } from '@homeward/contract/mcp'
import type { Timers } from '@homeward/kit'
import { defineDeviceTool, type DeviceToolContext, untrustedNote } from './device-tool.ts'
import { readFileContent, shownBytes } from './file-content.ts'
import { WaitSeconds } from './search-tools.ts'
import { defaultWaitSeconds, waitUntil } from './wait-until.ts'

const Id = z.string().check(z.minLength(1), z.maxLength(128))

/** The tools that fetch files from devices. */
export function createFileTools(timers: Timers | undefined) {
  const requestFile = defineDeviceTool({
    name: 'request_file',
    title: 'Request a file',
    description:
      "Asks one of the user's devices to upload a file, and waits for it. get_file then gives its content. The device's own policy decides which files it sends.",
    hints: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    inputSchema: z.object({
      device_id: Id.check(z.describe('Id of the device, as list_devices or search_devices gives it.')),
      path: FilePath.check(z.describe('Path of the file on the device, as search_devices gives it.')),
      wait_seconds: WaitSeconds,
    }),
    async execute({ device_id, path, wait_seconds = defaultWaitSeconds }, context) {
      const { uploadRequests } = await context.client.createUploads({
        body: { deviceIds: [device_id], filePath: path },
        signal: context.signal,
      })
      const id = uploadRequests[0]?.id ?? ''
      const upload = await waitUntil(() => lookAt(id, context), wait_seconds, context, timers)
      return upload ? { value: describeUpload(upload) } : notFound(id)
    },
  })

  const getFile = defineDeviceTool({
    name: 'get_file',
    title: 'Get a file',
    description: `Gives the state of a requested file, and once the file is there its content: up to ${shownBytes} bytes of text from "offset", or a small picture. Other files are at "url".`,
    hints: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    inputSchema: z.object({
      id: Id.check(z.describe('`id` that request_file gave.')),
      offset: z.optional(
        z
          .int()
          .check(z.gte(0), z.describe('First byte of the text to give: `next_offset` of the answer before.')),
      ),
    }),
    async execute({ id, offset = 0 }, context) {
      const upload = await findUpload(id, context)
      if (!upload) return notFound(id)
      const value = describeUpload(upload)
      if (upload.status !== 'completed') return { value }
      const { more, content } = await readFileContent(upload, offset, context)
      return { value: { ...value, ...more }, ...(content && { content }) }
    },
  })
  return [requestFile, getFile]
}

async function findUpload(id: string, { client, signal }: DeviceToolContext): Promise<Upload | undefined> {
  return (await client.listUploads({ query: { requestId: id }, signal })).results[0]
}

async function lookAt(id: string, context: DeviceToolContext) {
  const upload = await findUpload(id, context)
  const isDone = upload === undefined || (upload.status !== 'pending' && upload.status !== 'uploading')
  const { receivedBytes = 0, totalBytes, status = 'gone' } = upload ?? {}
  const message = status === 'uploading' ? 'The device is uploading the file' : 'Waiting for the device'
  return { found: upload, isDone, message, done: receivedBytes, total: totalBytes }
}

const nextSteps: Readonly<Record<Upload['status'], string>> = {
  pending: 'The device has not answered yet. Call get_file with this id later.',
  uploading: 'The device is uploading the file. Call get_file with this id later.',
  completed: untrustedNote,
  failed: 'The device did not send the file.',
  canceled: 'The request was canceled.',
}

function describeUpload({ id, device, filePath, status, fileName, size, fileUrl, error }: Upload) {
  return {
    id,
    device_id: device.id,
    device: truncateText(device.name, 60),
    path: truncateText(filePath, 1000),
    status,
    ...(fileName !== undefined && { file_name: truncateText(fileName, 300) }),
    ...(size !== undefined && { size }),
    ...(fileUrl !== undefined && { url: truncateText(fileUrl, 1500) }),
    ...(error !== undefined && { error: truncateText(error, 500) }),
    note: nextSteps[status],
  }
}

const notFound = (id: string): McpResult =>
  toolError(
    `Getting the file failed: the file request "${id}" does not exist. Use the id that request_file returned.`,
    { status: 404 },
  )
