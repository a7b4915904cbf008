import { expect, it, onTestFinished } from 'vitest'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud } from '../cloud/create-device-cloud.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { Session } from '../ports/sessions.ts'

const given: readonly (readonly [string, unknown])[] = [
  ['an empty user', { userId: '' }],
  ['no user', { id: 'ann' }],
  ['a user that is a number', { userId: 5 }],
  ['a text', 'ann'],
]

it.each(given)(
  'C20: a session with %s is the fault of the host, and lets nobody in',
  async (_name, session) => {
    const errors: unknown[] = []
    const cloud = createDeviceCloud({
      store: createMemoryStore(),
      blobs: createMemoryBlobs(),
      sessions: { resolve: () => session as Session }, // what a host without types gives
      onError: (error) => errors.push(error),
    })
    onTestFinished(() => cloud.close())
    const { status } = await cloud.fetch(new Request('https://cloud.example/api/devices'))
    expect([status, errors.map(String)]).toEqual([
      500,
      [
        'TypeError: Authenticating the caller by sessions.resolve() failed: "userId" must be a string that is not empty.',
      ],
    ])
  },
)
