import { expect, it, vi } from 'vitest'
import { ChannelError } from '../channel-error.ts'
import type { SlackApi } from './slack-api.ts'
import { createSlackNames } from './slack-names.ts'

const replyOf = (user: object) => ({
  status: 200,
  headers: new Headers(),
  text: '',
  json: { ok: true, user },
})

it('names the speaker of a group as Slack shows the person, and asks once an hour', async () => {
  let nowMs = 0
  const call = vi.fn<SlackApi['call']>(async () =>
    replyOf({ name: 'ann1', profile: { display_name: 'Ann', real_name: 'Ann Lee' } }),
  )
  const findName = createSlackNames({ call } as unknown as SlackApi, () => nowMs)
  expect(await findName('U1')).toBe('Ann')
  expect(await findName('U1')).toBe('Ann')
  expect(call).toHaveBeenCalledTimes(1)
  nowMs = 60 * 60 * 1000
  call.mockResolvedValue(replyOf({ name: 'ann1', real_name: 'Ann Lee', profile: { display_name: ' ' } }))
  expect(await findName('U1')).toBe('Ann Lee')
})

it('leaves the id if Slack does not tell the name', async () => {
  const call = vi.fn<SlackApi['call']>(() => Promise.reject(new ChannelError('permanent', 'missing_scope')))
  const findName = createSlackNames({ call } as unknown as SlackApi, () => 0)
  expect(await findName('U1')).toBeUndefined()
  expect(await findName('U1')).toBeUndefined()
  expect(call).toHaveBeenCalledTimes(1)
})
