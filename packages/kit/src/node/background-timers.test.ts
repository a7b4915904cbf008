import { expect, it } from 'vitest'
import { backgroundTimers } from './background-timers.ts'

it('keeps no process alive, and cancels what it started', () => {
  const timer = backgroundTimers.setTimeout(() => {}, 60_000)
  expect(timer).toMatchObject({ hasRef: expect.any(Function) })
  expect((timer as NodeJS.Timeout).hasRef()).toBe(false)
  backgroundTimers.clearTimeout(timer)
  expect(timer).toMatchObject({ _destroyed: true })
})
