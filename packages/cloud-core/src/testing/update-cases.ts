import { expectSame, race } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, auditOf, deviceOf, online, storeCase, withDevices } from './store-harness.ts'

const page = { limit: 99 }

/** Promises of `CloudStore` about changes that users make to devices. */
export const updateCases: readonly CloudStoreCase[] = [
  storeCase('C29: changes what is given of a device and leaves the rest', async ({ store }) => {
    const before = deviceOf('d1', { labels: ['site:berlin', 'prod'], lastSeenAt: at(1) })
    await withDevices(store, [before, deviceOf('d2')])
    const renamed = { ...before, name: 'New name' }
    expectSame(
      await store.updateDevice('ann', 'd1', { name: 'New name' }),
      { device: renamed, changed: true },
      'the renamed device',
    )
    const changes = { type: 'server', labels: ['b', 'a'] }
    const after = { ...renamed, ...changes }
    expectSame(
      await store.updateDevice('ann', 'd1', changes),
      { device: after, changed: true },
      'the device with another type and labels',
    )
    expectSame(await store.findDevice('ann', 'd1'), after, 'the device as it is found')
    expectSame((await store.findDeviceByKeyHash('hash-d1', at(1)))?.device, after, 'the device by its key')
    expectSame(
      (await store.listDevices('ann', {}, page, online)).rows,
      [deviceOf('d2'), after],
      'the list, in its old order',
    )
  }),
  storeCase('C29: records a change in the audit, but not when nothing changed', async ({ store }) => {
    await withDevices(store, [deviceOf('d1', { labels: ['a'] })])
    const change = (name: string, id: string) =>
      store.updateDevice('ann', 'd1', { name, labels: ['a'] }, [auditOf(id)])
    expectSame((await change('Other', 'e1'))?.changed, true, 'whether the first change did something')
    expectSame((await change('Other', 'e1'))?.changed, false, 'whether its repeat did something')
    expectSame((await store.updateDevice('ann', 'd1', {}, [auditOf('e2')]))?.changed, false, 'no change')
    const { rows } = await store.listAudit('ann', {}, page, at(1))
    expectSame(
      rows.map(({ id }) => id),
      ['e1'],
      'the audit',
    )
  }),
  storeCase("C20: changes nothing of another owner's device", async ({ store }) => {
    await withDevices(store)
    const changes = { name: 'Mine', labels: ['mine'] }
    expectSame(await store.updateDevice('bob', 'd1', changes, [auditOf('e1')]), undefined, 'the outcome')
    expectSame(await store.updateDevice('ann', 'gone', changes), undefined, 'of a device that never was')
    expectSame(await store.findDevice('ann', 'd1'), deviceOf('d1'), 'the device')
    expectSame((await store.listAudit('ann', {}, page, at(1))).rows, [], 'the audit')
  }),
  storeCase('C29: keeps the labels of one change, whole, however many race', async ({ store }) => {
    await withDevices(store)
    await race((index) => store.updateDevice('ann', 'd1', { labels: [`l${index}`, `m${index}`] }))
    const [device] = (await store.listDevices('ann', {}, page, online)).rows
    const labels = [...(device?.labels ?? [])]
    expectSame(labels[1], labels[0]?.replace('l', 'm'), 'the second label')
    const found = await Promise.all(
      Array.from({ length: 8 }, (_, index) => store.countDevices('ann', { labels: [`l${index}`] }, online)),
    )
    expectSame(
      found.flatMap((count, index) => (count > 0 ? [`l${index}`] : [])),
      labels.slice(0, 1),
      'the labels that find it',
    )
  }),
  storeCase('C29: adds and removes labels, all of them however many race, up to 32', async ({ store }) => {
    await withDevices(store)
    await race((index) =>
      store.updateDevice('ann', 'd1', { addLabels: [`l${index}`], removeLabels: ['none'] }),
    )
    const found = await Promise.all(
      Array.from({ length: 8 }, (_, index) => store.countDevices('ann', { labels: [`l${index}`] }, online)),
    )
    expectSame(found, [1, 1, 1, 1, 1, 1, 1, 1], 'how many devices have each label')
    const swap = await store.updateDevice('ann', 'd1', { addLabels: ['new', 'l1'], removeLabels: ['l0'] })
    expectSame(
      swap?.device.labels.toSorted(),
      ['l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l7', 'new'],
      'the labels',
    )
    expectSame(await store.countDevices('ann', { labels: ['l0'] }, online), 0, 'the removed label')
    const many = Array.from({ length: 30 }, (_, index) => `m${index}`)
    const full = await store.updateDevice('ann', 'd1', { addLabels: many, removeLabels: [] })
    expectSame([full?.changed, full?.device.labels.length], [false, 8], 'a change with too many labels')
  }),
  storeCase('C29: a heartbeat and a change keep what the other one wrote', async ({ store }) => {
    await withDevices(store)
    await race<unknown>((index) =>
      index % 2 === 0
        ? store.updateDevice('ann', 'd1', { name: 'Other' })
        : store.writeHeartbeats([{ deviceId: 'd1', lastSeenAt: at(1), metadata: { os: 'BSD' } }], at(9)),
    )
    for (const text of ['other', 'bsd'])
      expectSame(await store.countDevices('ann', { text }, online), 1, `how many match ${text}`)
    for (const text of ['device', 'debian'])
      expectSame(await store.countDevices('ann', { text }, online), 0, `how many match ${text}`)
  }),
]
