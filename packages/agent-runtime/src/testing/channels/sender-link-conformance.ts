import type { SenderLink } from '../../store/ports/channel-sender.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { type ConformanceCase, expectSame, race } from '@homeward/kit/testing'
import { storeCase, type StoreHarness } from '../conformance-case.ts'
import { appendOf, at, finishOf, idsOf, leaseOf, memoryOf, runOf } from '../conformance-fixtures.ts'
import { find } from '../memories/memory-conformance-store.ts'
import { taskOf } from '../tasks/task-fixtures.ts'
import { acceptanceOf } from './channel-fixtures.ts'
import { decisionOf, peerOf } from './channel-sender-conformance.ts'

/** User id of a person that is not linked. */
const ownOf = (id: string) => `p:${id}`

/** A command of a person at second 1. @param user as it was judged */
async function command(
  store: RuntimeStore,
  id: string,
  { offer, change, user, key = id }: Partial<SenderLink> & { readonly user?: string; readonly key?: string },
) {
  const [known] = await store.findChannelSenders('one', [id])
  const judged = { peer: peerOf(id), status: known?.status, ...(user !== undefined && { userId: user }) }
  const links = { peer: peerOf(id), own: ownOf(id), ...(offer && { offer }), ...(change && { change }) }
  const { entry: _, chat: __, ...acceptance } = acceptanceOf(key)
  const kept = await store.acceptMessages({
    now: at(1),
    acceptances: [{ ...acceptance, senders: [judged], links }],
  })
  return kept === 'changed' ? kept : kept?.[0]?.kind
}

const offerOf = (code: string, until = at(60)) => ({ offer: { code, until } })

/** Takes the code of a person who belongs to `userId`. */
const joinOf = (text: string, id: string, userId = ownOf(id), stored?: string): Partial<SenderLink> => ({
  change: {
    userId,
    code: { text, sender: { channel: 'one', id, ...(stored !== undefined && { userId: stored }) } },
  },
})

const usersOf = async (store: RuntimeStore, ...ids: string[]) => {
  const found = await store.findChannelSenders('one', ids)
  return ids.map((id) => found.find((sender) => sender.id === id)?.userId)
}

/** What a `ChannelStore` promises about chats of one person on several channels. */
export const senderLinkConformance: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  storeCase('A1: a code links one sender to the user of another one, once', async (store) => {
    expectSame(await command(store, 's1', offerOf('ABC')), 'kept', 'the offer')
    expectSame(await command(store, 's1', { ...offerOf('DEF'), key: 'again' }), 'kept', 'another offer')
    expectSame(await store.findSenderByCode('ABC', at(1)), undefined, 'the code before')
    expectSame((await store.findSenderByCode('DEF', at(59)))?.id, 's1', 'whose code it is')
    expectSame(await store.findSenderByCode('DEF', at(60)), undefined, 'an expired code')
    expectSame(await command(store, 's2', joinOf('DEF', 's1', 'x', 'other')), 'changed', 'another user')
    expectSame(await command(store, 's2', joinOf('ABC', 's1')), 'changed', 'the code before')
    await store.decideChannelSender(decisionOf('s2', 'allowed'))
    const raced = await race((index) =>
      command(store, `s${index + 2}`, { ...joinOf('DEF', 's1'), key: `take ${index}` }),
    )
    expectSame(raced.filter((kind) => kind === 'kept').length, 1, 'how many took it')
    expectSame(await store.findSenderByCode('DEF', at(1)), undefined, 'a code that was taken')
    const winner = `s${raced.indexOf('kept') + 2}`
    expectSame(await usersOf(store, 's1', winner), [undefined, ownOf('s1')], 'the users')
    const listed = (await store.listChannelSenders('one')).find(({ id }) => id === winner)
    expectSame(listed?.userId, ownOf('s1'), 'the user in the list')
  }),
  storeCase('A1: nobody joins a sender that was blocked, and a link admits nobody', async (store) => {
    await command(store, 's1', offerOf('ABC'))
    expectSame((await store.findChannelSenders('one', ['s1']))[0]?.status, 'pending', 'the status')
    await store.decideChannelSender(decisionOf('s1', 'blocked'))
    expectSame(await store.findSenderByCode('ABC', at(1)), undefined, 'a code of a blocked sender')
    expectSame(await command(store, 's2', joinOf('ABC', 's1')), 'changed', 'one who takes it')
  }),
  storeCase('A1: a message that was judged before its sender was linked is judged again', async (store) => {
    await command(store, 's1', offerOf('ABC'))
    await command(store, 's2', joinOf('ABC', 's1'))
    expectSame(await command(store, 's2', { key: 'late' }), 'changed', 'as it was judged before')
    expectSame(await command(store, 's2', { key: 'late', user: ownOf('s1') }), 'kept', 'as it is now')
  }),
  storeCase('A1: memories and idle conversations of a linked sender go to its user', async (store) => {
    const [from, to] = [ownOf('s2'), ownOf('s1')]
    const append = (conversationId: string, userId: string, number = 1) =>
      store.appendMessages(appendOf([`${conversationId}-${number}`], { conversationId, userId }))
    for (const id of ['idle', 'works', 'waits', 'worked']) await append(id, from)
    await append('other', 'somebody')
    await store.insertRun(runOf('r1', { conversationId: 'works', userId: from }), leaseOf(), [])
    await store.insertRun(runOf('r2', { conversationId: 'worked', userId: from }), leaseOf(), [])
    const { conversation: _, ...finish } = finishOf('r2')
    await store.finishRun(finish)
    await store.insertTask(taskOf('t1', { conversationId: 'waits', userId: from }), [])
    await store.writeMemory(memoryOf('m1', 'the dog is called Rex', { userId: from, tags: ['pet'] }))
    await store.writeMemory(memoryOf('m2', 'the dog is old', { userId: from, agentId: 'a2' }))
    await store.writeMemory(memoryOf('m3', 'a dog of somebody', { userId: 'somebody' }))
    await store.writeMemory(memoryOf('m4', 'the dog of nobody'))
    await command(store, 's1', offerOf('ABC'))
    await command(store, 's2', joinOf('ABC', 's1'))
    expectSame((await find(store, 'dog', { userId: to })).toSorted(), ['m1', 'm2'], 'memories of the user')
    expectSame(await find(store, 'Rex', { userId: to, agentId: 'a1', tags: ['pet'] }), ['m1'], 'one of them')
    expectSame(await find(store, 'dog', { userId: from }), [], 'memories of the sender')
    expectSame(await find(store, 'dog', { userId: 'somebody' }), ['m3'], 'memories of another user')
    expectSame(await find(store, 'dog', { userId: null }), ['m4'], 'memories of nobody')
    expectSame((await store.findMemory('m1'))?.userId, to, 'whose a memory is')
    const conversationsOf = async (userId: string) =>
      idsOf((await store.listConversations({ userId }, { limit: 9 })).rows).toSorted()
    expectSame(await conversationsOf(to), ['idle', 'worked'], 'conversations of the user')
    expectSame(await conversationsOf(from), ['waits', 'works'], 'those in which something works')
    await append('idle', to, 2)
    expectSame((await store.listMessages('idle', { limit: 9 })).rows.length, 2, 'a conversation goes on')
  }),
  storeCase('A1: senders that are linked to one sender follow it, and part from it', async (store) => {
    for (const [id, code] of ['s1 A', 's2 B', 's3 C'].map((one) => one.split(' ') as [string, string]))
      await command(store, id, { ...offerOf(code), key: `offer ${id}` })
    await command(store, 's2', joinOf('A', 's1'))
    await command(store, 's1', joinOf('C', 's3'))
    const user = ownOf('s3')
    expectSame(await usersOf(store, 's1', 's2', 's3'), [user, user, undefined], 'all three')
    const leaves = { change: { userId: null } }
    await command(store, 's2', { ...leaves, key: 'leave', user })
    expectSame(await usersOf(store, 's1', 's2', 's3'), [user, undefined, undefined], 'one that left')
    await command(store, 's3', { ...leaves, key: 'part' })
    expectSame(
      await usersOf(store, 's1', 's2', 's3'),
      [undefined, undefined, undefined],
      'when the first left',
    )
  }),
  storeCase('A1: the operator links a sender, and undoes it', async (store) => {
    const { status: _, ...without } = decisionOf('s1', 'allowed')
    const link = (userId: string | null) => ({ link: { own: ownOf('s1'), userId } })
    expectSame(await store.decideChannelSender({ ...without, ...link('ann') }), undefined, 'an unknown one')
    const added = await store.decideChannelSender({ ...decisionOf('s1', 'allowed'), ...link('ann') })
    expectSame([added?.userId, added?.status], ['ann', 'allowed'], 'one that is added')
    await store.writeMemory(memoryOf('m1', 'a dog', { userId: ownOf('s1') }))
    const moved = await store.decideChannelSender({ ...without, ...link('bob') })
    expectSame([moved?.userId, moved?.status], ['bob', 'allowed'], 'one that is linked again')
    expectSame(await find(store, 'dog', { userId: 'bob' }), ['m1'], 'its memories')
    const undone = await store.decideChannelSender({ ...without, ...link(null) })
    expectSame([undone?.userId, undone?.status], [undefined, 'allowed'], 'one that is not linked anymore')
    expectSame(await find(store, 'dog', { userId: 'bob' }), ['m1'], 'what was before')
  }),
]
