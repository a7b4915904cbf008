import { type DeviceAccess, quotaExceededError } from '@homeward/contract/device-cloud'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { StoredGroup } from '../ports/group-store.ts'
import { readShownPage } from '../paging/read-shown-page.ts'
import type { PagePosition, PageRequest } from '../ports/page.ts'
import type { CloudWebhook } from '../ports/webhook-store.ts'
import { isWithin, narrow } from './device-access.ts'
import { createSight, type Departures } from './sight.ts'

/** Searches of a group that are read at once to count them: each has its results. */
const countedAtOnce = 100

type LimitedPart = Partial<CloudStore>

/**
 * A store as a caller sees it that reaches only some devices of one owner: others, and what was asked of them, do not
 * exist. Each call reads which devices they are. Every verb that users call is limited here, and nowhere else;
 * what runs for devices and in the background uses the store itself.
 */
export function limitStore(
  store: CloudStore,
  owner: string,
  access: DeviceAccess,
  departures: Departures,
): CloudStore {
  const part = createPart(store, owner, access, departures)
  return replaceVerbs(store, {
    ...limitDevices(store, access, part),
    ...limitSearches(store, access, part),
    ...limitUploads(store, part),
    ...limitRecords(store, access),
    ...limitWebhooks(store, access, part),
    ...limitCounts(store, access, part),
  })
}

/** The same store with some verbs replaced. */
export function replaceVerbs(store: CloudStore, verbs: Partial<CloudStore>): CloudStore {
  return new Proxy(store, {
    get(target, name) {
      const replaced: unknown = Reflect.get(verbs, name)
      if (replaced !== undefined) return replaced
      const method: unknown = Reflect.get(target, name, target)
      return typeof method === 'function' ? (method.bind(target) as unknown) : method
    },
  })
}

type Part = ReturnType<typeof createPart>

/** What of an owner's rows belongs to devices that are reached. */
function createPart(store: CloudStore, owner: string, access: DeviceAccess, departures: Departures) {
  const sight = createSight(store, owner, access, departures)

  /** A group with the counts of what shows; undefined if nothing of it does. */
  async function groupOf(group: StoredGroup, now: string): Promise<StoredGroup | undefined> {
    const counts = { pending: 0, completed: 0, failed: 0 }
    let [made, filesFound] = [0, 0]
    let after: PagePosition | undefined
    do {
      const request = { limit: countedAtOnce, ...(after && { after }) }
      const page = await store.listSearches(owner, { groupId: group.id }, request, now)
      made += page.rows.length
      for (const row of await sight.show(page.rows)) {
        counts[row.status] += 1
        filesFound += row.filesFound
      }
      after = page.next
    } while (after !== undefined)
    const isOwn = group.filter !== null && isWithin(group.filter, access)
    if (isOwn) counts.pending += Math.max(0, group.total - made)
    const total = counts.pending + counts.completed + counts.failed
    return total === 0 && !isOwn ? undefined : { ...group, total, counts, filesFound }
  }

  const findGroup: CloudStore['findGroup'] = async (_owner, id, now, signal) => {
    const group = await store.findGroup(owner, id, now, signal)
    return group && (await groupOf(group, now))
  }

  const showAll = async (
    page: PageRequest,
    each: (page: PageRequest) => Promise<PagePosition | undefined>,
  ) => {
    let { after } = page
    do after = await each({ ...page, ...(after && { after }) })
    while (after !== undefined)
  }

  /** Whether an event is for a caller. Its subject is a device or a group. */
  async function showsEvent(type: string, subject: string): Promise<boolean> {
    if (type === 'webhook.test' || type === 'reset') return true
    if (type !== 'group.settled') return sight.reachesEventOf(subject)
    return (await findGroup(owner, subject, new Date(0).toISOString())) !== undefined
  }

  return { ...sight, owner, groupOf, findGroup, showAll, showsEvent }
}

/** Tells which events of an owner are for those who reach only some devices. */
export const createEventSight = (
  store: CloudStore,
  owner: string,
  access: DeviceAccess,
  departures: Departures,
): ((type: string, subject: string) => Promise<boolean>) =>
  createPart(store, owner, access, departures).showsEvent

function limitDevices(store: CloudStore, access: DeviceAccess, { reaches }: Part): LimitedPart {
  return {
    findDevice: async (owner, id, signal) =>
      (await reaches(id)) ? store.findDevice(owner, id, signal) : undefined,
    updateDevice: async (owner, id, ...rest) =>
      (await reaches(id)) ? store.updateDevice(owner, id, ...rest) : undefined,
    listDevices: (owner, filter, ...rest) => store.listDevices(owner, narrow(filter, access), ...rest),
    countDevices: (owner, filter, ...rest) => store.countDevices(owner, narrow(filter, access), ...rest),
    deleteDevice: async (owner, id, ...rest) =>
      (await reaches(id)) ? store.deleteDevice(owner, id, ...rest) : undefined,
    removeCatalog: async (owner, id, ...rest) =>
      (await reaches(id)) ? store.removeCatalog(owner, id, ...rest) : undefined,
    rotateKey: async (rotation, ...rest) =>
      (await reaches(rotation.deviceId)) ? store.rotateKey(rotation, ...rest) : undefined,
  }
}

function limitSearches(store: CloudStore, access: DeviceAccess, part: Part): LimitedPart {
  const { owner, show, groupOf, findGroup, reachesAll } = part
  const isShown = async (queryId: string, now: string) =>
    (await show((await store.listSearches(owner, { queryId }, { limit: 1 }, now)).rows)).length > 0
  return {
    findGroup,
    insertSearches: async (_owner, searches, once, audit, group, signal) =>
      (await reachesAll(searches.map(({ deviceId }) => deviceId)))
        ? store.insertSearches(owner, searches, once, audit, narrowGroup(group, access), signal)
        : { kind: 'unknown_device' },
    listSearches: (_owner, filter, page, now, signal) =>
      readShownPage(page, (request) => store.listSearches(owner, filter, request, now, signal), show),
    listGroups: (_owner, { status, ...filter }, page, now, signal) =>
      readShownPage(
        page,
        (request) => store.listGroups(owner, filter, request, now, signal),
        async (groups) => {
          const parts = await Promise.all(groups.map((group) => groupOf(group, now)))
          const shown = parts.filter((group) => group !== undefined)
          if (status === undefined) return shown
          return shown.filter(({ counts }) => (status === 'pending') === counts.pending > 0)
        },
      ),
    endSearch: async (_owner, id, now, ...rest) =>
      (await isShown(id, now)) ? store.endSearch(owner, id, now, ...rest) : { kind: 'unknown' },
    async removeGroup(_owner, id, audit, signal) {
      // Called once nothing of it shows any more: what is left of it belongs to others.
      const epoch = new Date(0).toISOString()
      const left = await store.listSearches(owner, { groupId: id }, { limit: 1 }, epoch, signal)
      const group = await store.findGroup(owner, id, epoch, signal)
      if (group === undefined) return false
      const isOwn = group.filter === null || isWithin(group.filter, access)
      if (left.rows.length === 0 && isOwn) return store.removeGroup(owner, id, audit, signal)
      await store.appendAudit(audit ?? [], signal)
      return true
    },
  }
}

function limitUploads(store: CloudStore, part: Part): LimitedPart {
  const { owner, show, reaches, reachesAll } = part
  return {
    insertUploads: async (_owner, uploads, once, audit, group, signal) =>
      (await reachesAll(uploads.map(({ deviceId }) => deviceId)))
        ? store.insertUploads(owner, uploads, once, audit, narrowGroup(group, part.access), signal)
        : { kind: 'unknown_device' },
    listUploads: (_owner, filter, page, now, signal) =>
      readShownPage(page, (request) => store.listUploads(owner, filter, request, now, signal), show),
    async cancelUpload(_owner, id, now, ...rest) {
      const { rows } = await store.listUploads(owner, { requestId: id }, { limit: 1 }, now)
      return (await show(rows)).length > 0 ? store.cancelUpload(owner, id, now, ...rest) : { kind: 'unknown' }
    },
    async findFile(_owner, blobId, signal) {
      const file = await store.findFile(owner, blobId, signal)
      return file && (await reaches(file.deviceId)) ? file : undefined
    },
  }
}

/** What was made for a group later has to be for devices that are reached, too. */
function narrowGroup<Group extends Parameters<CloudStore['insertSearches']>[4]>(
  group: Group,
  access: DeviceAccess,
): Group {
  return group?.filter ? { ...group, filter: narrow(group.filter, access) } : group
}

/** Saved searches and API tokens: those that reach nothing else. */
function limitRecords(store: CloudStore, access: DeviceAccess): LimitedPart {
  const findSavedSearch: CloudStore['findSavedSearch'] = async (owner, id, signal) => {
    const saved = await store.findSavedSearch(owner, id, signal)
    return saved && isWithin(saved.filter, access) ? saved : undefined
  }
  return {
    findSavedSearch,
    insertSavedSearch: (saved, ...rest) =>
      store.insertSavedSearch({ ...saved, filter: narrow(saved.filter, access) }, ...rest),
    async listSavedSearches(owner, page, signal) {
      const found = await store.listSavedSearches(owner, page, signal)
      return { ...found, rows: found.rows.filter(({ filter }) => isWithin(filter, access)) }
    },
    replaceSavedSearch: async (saved, ...rest) =>
      (await findSavedSearch(saved.owner, saved.id)) !== undefined &&
      store.replaceSavedSearch({ ...saved, filter: narrow(saved.filter, access) }, ...rest),
    deleteSavedSearch: async (owner, id, ...rest) =>
      (await findSavedSearch(owner, id)) !== undefined && store.deleteSavedSearch(owner, id, ...rest),
    insertToken: (token, ...rest) =>
      store.insertToken({ ...token, filter: narrow(token.filter ?? {}, access) }, ...rest),
    listTokens: async (owner, signal) =>
      (await store.listTokens(owner, signal)).filter(({ filter }) => isWithin(filter, access)),
    async deleteToken(owner, id, ...rest) {
      const token = (await store.listTokens(owner)).find((each) => each.id === id)
      return token && isWithin(token.filter, access) ? store.deleteToken(owner, id, ...rest) : undefined
    },
    // They let in devices of any kind.
    listEnrollmentTokens: async () => [],
  }
}

function limitWebhooks(store: CloudStore, access: DeviceAccess, part: Part): LimitedPart {
  const { owner, showsEvent } = part
  const isOwn = ({ filter }: CloudWebhook) => isWithin(filter, access)
  const find: CloudStore['findWebhook'] = async (_owner, id, signal) => {
    const webhook = await store.findWebhook(owner, id, signal)
    return webhook && isOwn(webhook) ? webhook : undefined
  }
  return {
    findWebhook: find,
    insertWebhook: (webhook, ...rest) =>
      store.insertWebhook({ ...webhook, filter: narrow(webhook.filter ?? {}, access) }, ...rest),
    listWebhooks: async (_owner, signal) => (await store.listWebhooks(owner, signal)).filter(isOwn),
    updateWebhook: async (_owner, id, ...rest) =>
      (await find(owner, id)) && store.updateWebhook(owner, id, ...rest),
    deleteWebhook: async (_owner, id, ...rest) =>
      (await find(owner, id)) && store.deleteWebhook(owner, id, ...rest),
    async listDeliveries(webhookId, limit, signal) {
      if ((await find(owner, webhookId, signal)) === undefined) return []
      const deliveries = await store.listDeliveries(webhookId, limit, signal)
      const shown = await Promise.all(deliveries.map(({ type, subject }) => showsEvent(type, subject)))
      return deliveries.filter((_, index) => shown[index])
    },
  }
}

function limitCounts(store: CloudStore, access: DeviceAccess, part: Part): LimitedPart {
  const { owner, show, showAll } = part
  return {
    listAudit: (_owner, filter, page, now, signal) =>
      readShownPage(page, (request) => store.listAudit(owner, filter, request, now, signal), show),
    async readUsage(_owner, name, { day, now }, signal) {
      const anyTime = { from: now, until: now }
      if (name === 'devices') return store.countDevices(owner, narrow({}, access), anyTime, signal)
      let used = 0
      if (name === 'pendingPerDevice')
        await showAll({ limit: 1000 }, async (page) => {
          const found = await store.listDevices(owner, narrow({}, access), page, anyTime, signal)
          const counts = await Promise.all(found.rows.map(({ id }) => store.countPending(id, now, signal)))
          used = Math.max(used, ...counts.map(({ searches, uploads }) => searches + uploads))
          return found.next
        })
      if (name === 'storedBytes') {
        await showAll({ limit: 1000 }, async (page) => {
          const found = await store.listDevices(owner, narrow({}, access), page, anyTime, signal)
          for (const { catalog } of found.rows) used += catalog?.bytes ?? 0
          return found.next
        })
        await showAll({ limit: 1000 }, async (page) => {
          const found = await store.listUploads(owner, {}, page, now, signal)
          for (const { file } of await show(found.rows)) used += file?.size ?? 0
          return found.next
        })
      }
      if (name === 'searchesPerDay')
        await showAll({ limit: countedAtOnce }, async (page) => {
          const found = await store.listSearches(owner, {}, page, now, signal)
          const counted = (await show(found.rows)).filter(
            ({ createdAt, error }) => createdAt >= day && error !== quotaExceededError,
          )
          used += counted.length
          const [last] = found.rows.slice(-1)
          return last !== undefined && last.createdAt >= day ? found.next : undefined
        })
      return used
    },
  }
}
