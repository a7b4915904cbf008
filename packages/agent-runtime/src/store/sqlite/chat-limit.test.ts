import { expect, it } from 'vitest'
import { acceptanceOf } from '../../testing/channels/channel-fixtures.ts'
import { at } from '../../testing/conformance-fixtures.ts'
import { createSqliteStore } from './create-sqlite-store.ts'

it('A1: stores 20,000 chats, and an older one for as long as one of its messages is stored', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  const acceptances = Array.from({ length: 20_010 }, (_, index) => {
    const { entry, chat, ...rest } = acceptanceOf(`m${index}`, { conversationId: `c${index}` })
    return { ...rest, journal: [], ...(chat && { chat }), ...(index === 3 && entry && { entry }) }
  })
  await store.acceptMessages({ now: at(0), acceptances })
  while (await store.prune({})) continue
  const known = async (index: number) => (await store.findChat('one', `c${index}`)) !== undefined
  expect([await known(2), await known(3), await known(9), await known(10)]).toEqual([
    false,
    true,
    false,
    true,
  ])
  await store.close()
})
