import type {
  APIApplication,
  APIApplicationCommandInteraction,
  APIChatInputApplicationCommandInteraction,
  APIMessageApplicationCommandInteraction,
  APIPingInteraction,
  RESTPatchAPIWebhookWithTokenMessageJSONBody,
  RESTPostAPIApplicationCommandsJSONBody,
  RESTPostAPIChannelMessageJSONBody,
} from 'discord-api-types/v10'
import { expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import type { DiscordApplication } from './discord-application.ts'
import type { DiscordInteraction, DiscordRequest } from './discord-interaction.ts'

type Input = z.input<typeof DiscordInteraction>

it('reads what Discord documents for commands', () => {
  // an old field that Discord marks as possibly missing; it comes with every command
  type Documented<Interaction> = Interaction & { channel_id: string }
  // what is resolved for typed commands is of no use here
  type Typed = Omit<APIChatInputApplicationCommandInteraction, 'data'> & {
    data: Omit<APIChatInputApplicationCommandInteraction['data'], 'resolved'>
  }
  expectTypeOf<Documented<Typed>>().toExtend<Input>()
  expectTypeOf<Documented<APIMessageApplicationCommandInteraction>>().toExtend<Input>()
  expectTypeOf<APIPingInteraction | APIApplicationCommandInteraction>().toExtend<
    z.input<typeof DiscordRequest>
  >()
})

it('reads what Discord documents for applications', () => {
  expectTypeOf<APIApplication>().toExtend<DiscordApplication>()
})

it('sends what Discord documents', () => {
  type Message = { content: string; allowed_mentions: { parse: [] }; flags?: 4 }
  expectTypeOf<Message>().toExtend<RESTPatchAPIWebhookWithTokenMessageJSONBody>()
  expectTypeOf<
    Message & { nonce: string; enforce_nonce: true }
  >().toExtend<RESTPostAPIChannelMessageJSONBody>()
  type Option = { type: 3; name: string; description: string; required: true }
  expectTypeOf<{
    type: 1
    name: string
    description: string
    options: Option[]
  }>().toExtend<RESTPostAPIApplicationCommandsJSONBody>()
  expectTypeOf<{ type: 3; name: string }>().toExtend<RESTPostAPIApplicationCommandsJSONBody>()
})
