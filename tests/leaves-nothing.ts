import { afterAll, expect, vi } from 'vitest'

// Files share a process (`isolate: false`): what one of them leaves behind would break another, far away and now and then.
// So it breaks the file that leaves it. This runs once for each file, and its end behind all others.
const { fetch, WebSocket } = globalThis
const environment = { ...process.env }
const folder = process.cwd()

afterAll(() => {
  const hadFakeTimers = vi.isFakeTimers()
  vi.useRealTimers()
  expect(hadFakeTimers, 'fake timers are left: call vi.useRealTimers() behind each test').toBe(false)
  expect(globalThis.fetch === fetch, 'another fetch is left').toBe(true)
  expect(globalThis.WebSocket === WebSocket, 'another WebSocket is left').toBe(true)
  expect(process.env, 'another environment is left').toEqual(environment)
  expect(process.cwd()).toBe(folder)
  expect(process.exitCode, 'an exit code is left').toBeUndefined()
})
