import type { JsonObject } from '@homeward/contract/agent-platform'
import type { InboundFile, LoadedFile, LoadFileOptions } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { downloadFile, toFileUrl } from '../files/download-file.ts'
import { kindOfType } from '../files/kind-of-type.ts'
import type { SlackApi } from './slack-api.ts'
import type { SlackEvent, SlackFile } from './slack-event.ts'

/** The files of a message. */
export function filesOfSlack({ files }: SlackEvent): InboundFile[] {
  return (files ?? []).map(toFile)
}

function toFile(file: SlackFile): InboundFile {
  const { name, mimetype, size } = file
  const url = file.url_private_download || file.url_private
  const isThere =
    !!url &&
    file.is_external !== true &&
    !['tombstone', 'hidden_by_limit', 'external'].includes(file.mode ?? '')
  return {
    kind: file.subtype === 'slack_audio' ? 'voice message' : kindOfType(mimetype),
    ...(name && { name }),
    ...(mimetype && { mediaType: mimetype }),
    ...(typeof size === 'number' && { bytes: size }),
    ...(isThere
      ? { reference: { url, ...(mimetype && { media_type: mimetype }) } }
      : { problem: 'Slack does not give it to the app' }),
  }
}

const what = 'Slack file'

/** Downloads a file with the token of the bot, which goes to Slack's own hosts only. @throws {ChannelError} */
export async function loadSlackFile(
  api: SlackApi,
  { url, media_type: expected }: JsonObject,
  options: LoadFileOptions,
): Promise<LoadedFile> {
  const { token, fetch, apiBase } = api.connection
  const address = toFileUrl(what, url, { hosts: ['files.slack.com'], apiBase })
  const headers = { authorization: `Bearer ${token}` }
  const loaded = await downloadFile({ what, url: address, headers, fetch, secrets: [token] }, options)
  // without the scope, Slack sends its page to sign in
  if (loaded.mediaType === 'text/html' && expected !== 'text/html') {
    const fix = 'Add the scope files:read under OAuth & Permissions and install the app again.'
    throw new ChannelError('auth', `${what} failed: Slack sent a page to sign in. ${fix}`)
  }
  return loaded
}
