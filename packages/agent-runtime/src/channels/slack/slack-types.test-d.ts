import type {
  AppMentionEvent,
  BotMessageEvent,
  FileShareMessageEvent,
  GenericMessageEvent,
} from '@slack/types'
import { expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import type { SlackEnvelope } from './slack-event.ts'

type Input = NonNullable<z.input<typeof SlackEnvelope>['event']>

it('reads what Slack documents for messages', () => {
  expectTypeOf<AppMentionEvent>().toExtend<Input>()
  expectTypeOf<GenericMessageEvent>().toExtend<Input>()
  expectTypeOf<FileShareMessageEvent>().toExtend<Input>()
  expectTypeOf<BotMessageEvent>().toExtend<Input>()
})
