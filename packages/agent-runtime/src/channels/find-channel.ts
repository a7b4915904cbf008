import type { Settings } from '@homeward/contract/agent-platform'
import { toChannelId } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { missingOf, type ActiveChannel, type ChannelSet } from './channel-set.ts'

/** What {@link createFindChannel} is built from. */
export interface FindChannelOptions {
  readonly set: ChannelSet
  readonly settings: { read(): Promise<Settings> }
  readonly isClosed: () => boolean
}

/** Finds channels by either of their names. The errors begin with what was attempted. */
export function createFindChannel({ set, settings, isClosed }: FindChannelOptions) {
  function idOf(name: string, attempt: string): string {
    const id = toChannelId(name) ?? name
    if (set.isKnown(id)) return id
    throw new RuntimeError('not_found', `${attempt}: there is no channel of this name.`)
  }

  async function find(
    name: string,
    attempt: string,
  ): Promise<{ readonly id: string; readonly active?: ActiveChannel }> {
    if (isClosed()) throw new RuntimeError('closed', `${attempt}: the runtime was closed.`)
    const id = idOf(name, attempt)
    const active = (await set.current()).get(id)
    return active ? { id, active } : { id }
  }

  async function notSetUp(id: string): Promise<string> {
    return `${id} is not set up: set ${missingOf(id, await settings.read()).join(' and ')}.`
  }

  async function findActive(name: string, attempt: string): Promise<ActiveChannel> {
    const { id, active } = await find(name, attempt)
    if (active) return active
    throw new RuntimeError('conflict', `${attempt}: ${await notSetUp(id)}`)
  }

  return { idOf, find, notSetUp, findActive }
}
