import * as z from 'zod/mini'
import { ChannelError } from '../channel-error.ts'
import type { DiscordApi } from './discord-api.ts'

const Application = z.object({
  id: z.string().check(z.regex(/^\d{1,25}$/)),
  name: z.optional(z.string()),
  /** Public key of the signatures. */
  verify_key: z.optional(z.string()),
  interactions_endpoint_url: z.nullish(z.string()),
})
/** What Discord says about the application of the token. */
export type DiscordApplication = z.infer<typeof Application>

const ownPath = '/applications/@me'

/** Asks Discord for the application. @throws {ChannelError} */
export async function getDiscordApplication(
  api: DiscordApi,
  signal: AbortSignal,
): Promise<DiscordApplication> {
  const what = 'Discord application'
  const application = Application.safeParse(await api.call({ what, method: 'GET', path: ownPath, signal }))
  if (application.success) return application.data
  throw new ChannelError(
    'temporary',
    `${what} failed: the response is not a Discord API response. Check channel_c_api_base.`,
  )
}

/** Sets the address for interactions. Discord calls it during this call. @throws {ChannelError} */
export async function setInteractionsUrl(api: DiscordApi, url: string, signal: AbortSignal): Promise<void> {
  const what = 'Setting the Discord interactions address'
  const json = { interactions_endpoint_url: url }
  try {
    await api.call({
      what,
      method: 'PATCH',
      path: ownPath,
      json,
      isRepeatable: true,
      signal,
      timeoutMs: 30_000,
    })
  } catch (error) {
    if (!ChannelError.is(error) || error.code !== 'permanent') throw error
    const advice =
      'Discord immediately sends a signed request to the address. Check that the address is reachable from the internet, and that channel_c_public_key is the key on the page General Information.'
    throw new ChannelError('permanent', `${error.message} ${advice}`)
  }
}

/** Name of the command on messages. */
const messageCommand = 'Ask agent'

/** Adds the two commands, or changes them when they are there. Other commands stay. @throws {ChannelError} */
export async function registerCommands(
  api: DiscordApi,
  applicationId: string,
  command: string,
  signal: AbortSignal,
): Promise<void> {
  if (!isCommandName(command)) {
    const rule = 'channel_c_command must be 1 to 32 lowercase letters, digits, "-" or "_".'
    throw new ChannelError('permanent', `Registering the Discord command failed: ${rule}`)
  }
  const question = { type: 3, name: 'text', description: 'What you want to know', required: true }
  const attachment = { type: 11, name: 'file', description: 'A picture or another file', required: false }
  const commands = [
    { type: 1, name: command, description: 'Ask the agent', options: [question, attachment] },
    { type: 3, name: messageCommand },
  ]
  for (const json of commands) {
    const what = `Registering the Discord command "${json.name}"`
    const path = `/applications/${applicationId}/commands`
    await api.call({ what, method: 'POST', path, json, isRepeatable: true, signal })
  }
}

const Commands = z.array(z.object({ name: z.string(), type: z.optional(z.number()) }))

/** Whether the slash command is registered everywhere; undefined when Discord does not say. */
export async function hasCommand(
  api: DiscordApi,
  applicationId: string,
  command: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const call = {
    what: 'Discord commands',
    method: 'GET',
    path: `/applications/${applicationId}/commands`,
  } as const
  const commands = Commands.safeParse(await api.call({ ...call, signal }).catch(() => undefined))
  if (!commands.success) return undefined
  return commands.data.some(({ name, type = 1 }) => type === 1 && name === command)
}

/** The slash command's name from the settings: `/Ask` and `ask` are the same. @default 'ask' */
export function toCommandName(setting: string | undefined): string {
  return setting?.trim().replace(/^\//, '').toLowerCase() || 'ask'
}

function isCommandName(name: string): boolean {
  return /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u.test(name)
}
