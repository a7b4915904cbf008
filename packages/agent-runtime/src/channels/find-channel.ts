import type { Settings } from '@homeward/contract/agent-platform'
import { toChannelId } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { missingOf, type ActiveChannel, type ChannelSet } from './channel-set.ts'

/** Finds channels by either of their names. */
export interface ChannelFinder {
  /** The documented name of a channel. @throws {RuntimeError} `not_found` that begins with what was attempted */
  idOf(name: string, attempt: string): string
  /** `active` is absent for a channel that is not set up. @throws {RuntimeError} `not_found` or `closed` */
  find(name: string, attempt: string): Promise<{ readonly id: string; readonly active?: ActiveChannel }>
  /** A channel that is set up. @throws {RuntimeError} `not_found` or `closed`; `conflict`, or the code given, if it is not */
  findActive(name: string, attempt: string, code?: 'conflict' | 'not_found'): Promise<ActiveChannel>
  /** Finds nothing anymore. */
  close(): void
}

export function createChannelFinder(set: ChannelSet, settings: { read(): Promise<Settings> }): ChannelFinder {
  let isClosed = false
  function idOf(name: string, attempt: string): string {
    const id = toChannelId(name) ?? name
    if (set.isKnown(id)) return id
    throw new RuntimeError(
      'not_found',
      `${attempt} failed: no channel has the name "${name.slice(0, 100)}". List the channels to find it.`,
    )
  }
  async function find(name: string, attempt: string) {
    if (isClosed)
      throw new RuntimeError('closed', `${attempt} failed: the runtime was closed. Create another one.`)
    const id = idOf(name, attempt)
    const active = (await set.current()).get(id)
    return active ? { id, active } : { id }
  }
  return {
    idOf,
    find,
    async findActive(name, attempt, code = 'conflict') {
      const { id, active } = await find(name, attempt)
      if (active) return active
      const missing = missingOf(id, await settings.read()).join(' and ')
      throw new RuntimeError(code, `${attempt} failed: the channel ${id} is not set up. Set ${missing}.`)
    },
    close() {
      isClosed = true
    },
  }
}
