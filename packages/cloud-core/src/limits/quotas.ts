import { type Quota, QuotaName } from '@homeward/contract/device-cloud'
import { HttpError, rateLimited } from '@homeward/contract/handler'
import type { CloudStore } from '../ports/cloud-store.ts'
import { toTimestamp } from '../context/time.ts'
import type { Quotas, QuotaOptions } from '../context/quotas.ts'

const dayMs = 24 * 60 * 60 * 1000
const retryMs = 60_000

const plurals: Readonly<Record<QuotaName, string>> = {
  devices: 'devices',
  pendingPerDevice: 'pending requests for one device',
  searchesPerDay: 'searches a day',
  storedBytes: 'stored bytes',
}

/** Builds what checks quotas. Of several processes each checks for itself, so racing requests may exceed a limit. */
export function createQuotas(
  store: Pick<CloudStore, 'readUsage' | 'countPending'>,
  limits: QuotaOptions,
  now: () => number,
): Quotas {
  const turns = new Map<string, Promise<unknown>>()

  const used = (owner: string, name: QuotaName, source: Pick<CloudStore, 'readUsage'> = store) => {
    const nowMs = now()
    return source.readUsage(owner, name, {
      day: toTimestamp(nowMs - (nowMs % dayMs)),
      now: toTimestamp(nowMs),
    })
  }

  function factOf(name: QuotaName, attempt: string, fix: string): string {
    return `${attempt} failed: the quota "${name}" allows ${limits[name]} ${plurals[name]}. ${fix}`
  }

  const assertRoom: Quotas['assertRoom'] = async (owner, name, attempt, freed = 0) => {
    const limit = limits[name]
    if (limit === undefined || (await used(owner, name)) - freed < limit) return
    const message = factOf(name, attempt, 'Delete what you no longer use, or ask the operator to raise it.')
    throw new HttpError(403, { error: 'Forbidden', message })
  }

  /** Devices for which so much waits that they get no more. */
  async function fullDevices(deviceIds: readonly string[]): Promise<Set<string>> {
    const { pendingPerDevice: limit } = limits
    if (limit === undefined) return new Set()
    const at = toTimestamp(now())
    const counts = await Promise.all(deviceIds.map((id) => store.countPending(id, at)))
    return new Set(deviceIds.filter((_, index) => counts[index]!.searches + counts[index]!.uploads >= limit))
  }

  async function searchesLeft(owner: string): Promise<number> {
    const { searchesPerDay: limit } = limits
    return limit === undefined ? Infinity : Math.max(0, limit - (await used(owner, 'searchesPerDay')))
  }

  return {
    assertRoom,
    async refuse({ owner, kind, deviceIds, isGroup, attempt }) {
      const refused = await fullDevices(deviceIds)
      if (!isGroup && refused.size > 0)
        throw rateLimited(
          factOf('pendingPerDevice', attempt, 'Wait until some end, or cancel some.'),
          retryMs,
        )
      if (kind === 'upload') return refused
      const left = await searchesLeft(owner)
      if (!isGroup && left === 0)
        throw rateLimited(
          factOf('searchesPerDay', attempt, 'Try again tomorrow (UTC).'),
          dayMs - (now() % dayMs),
        )
      const fitting = deviceIds.filter((id) => !refused.has(id))
      for (const id of fitting.slice(Math.min(left, fitting.length))) refused.add(id)
      return refused
    },
    async list(owner, source) {
      const quotas: Quota[] = []
      for (const name of QuotaName.options) {
        const limit = limits[name]
        quotas.push({ name, ...(limit !== undefined && { limit }), used: await used(owner, name, source) })
      }
      return quotas
    },
    async inTurn(owner, act) {
      if (Object.values(limits).every((limit) => limit === undefined)) return act()
      const turn = (turns.get(owner) ?? Promise.resolve()).then(act, act)
      turns.set(owner, turn)
      try {
        return await turn
      } finally {
        if (turns.get(owner) === turn) turns.delete(owner)
      }
    },
  }
}
