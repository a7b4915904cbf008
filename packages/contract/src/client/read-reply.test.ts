import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { deviceOperations } from '../device-cloud/device-operations.ts'
import { UploadResult } from '../device-cloud/upload.ts'
import { readReply } from './create-caller.ts'

const heartbeat = deviceOperations.sendHeartbeat.reply
const documented = { success: true, status: 'online' }

describe('an optional field of another shape counts as absent', () => {
  it.each([
    { pending: 3 },
    { pending: null },
    { pending: 'yes', nextHeartbeatInSeconds: 0 },
    { pending: { searches: 1 } },
    { pending: { searches: 1.5, uploads: 0 } },
    { pending: [] },
    { nextHeartbeatInSeconds: '30' },
    { nextHeartbeatInSeconds: null },
    { nextHeartbeatInSeconds: -5 },
  ])('%j', (hints) => {
    expect(readReply(heartbeat, { ...documented, ...hints })).toMatchObject({ success: true })
    expect(readReply(heartbeat, { ...documented, ...hints }).data).toEqual(documented)
  })

  it('keeps the fields beside it', () => {
    const read = readReply(heartbeat, {
      ...documented,
      pending: { searches: 1, uploads: 2 },
      nextHeartbeatInSeconds: {},
    })
    expect(read.data).toEqual({ ...documented, pending: { searches: 1, uploads: 2 } })
  })

  it('inside a variant', () => {
    const stored = { success: true, fileName: 'a', fileUrl: 'https://files.example/a' }
    expect(readReply(UploadResult, { ...stored, driveFile: null, spacesFile: 'x' }).data).toEqual(stored)
  })

  it('inside a list, a record and an optional object', () => {
    const row = z.object({ id: z.string(), note: z.optional(z.object({ text: z.optional(z.string()) })) })
    const schema = z.object({ rows: z.array(row), by: z.record(z.string(), row) })
    const value = {
      rows: [
        { id: 'a', note: { text: 1 } },
        { id: 'b', note: 2 },
      ],
      by: { c: { id: 'c', note: 3 } },
    }
    expect(readReply(schema, value).data).toEqual({
      rows: [{ id: 'a', note: {} }, { id: 'b' }],
      by: { c: { id: 'c' } },
    })
  })
})

describe('a required field of another shape makes the response invalid', () => {
  it.each([null, 3, [], {}, { success: 'yes', status: 'online' }, { success: true, pending: 3 }])(
    '%j',
    (value) => {
      expect(readReply(heartbeat, value).success).toBe(false)
    },
  )
})
