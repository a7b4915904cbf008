import { UploadStatus } from '@homeward/contract/device-cloud'
import { code, generatedNote, page } from './markdown.ts'
import { type EventComment, eventComments, unionText } from './source-comments.ts'

const agentSource = 'packages/device-sdk/src/agent/agent-events.ts'
const cloudSource = 'packages/cloud-core/src/context/cloud-events.ts'

/** What the payloads name without saying what it is. */
const unions: Readonly<Record<string, string>> = {
  WorkKind: unionText(agentSource, 'WorkKind'),
  UploadStatus: Object.values(UploadStatus.def.entries)
    .map((status) => `'${status}'`)
    .join(' | '),
}

/** The page of events, from the comments of the two event maps. */
export function eventsPage(): string {
  return page(
    generatedNote,
    '# Events',
    'These events report what happens. No payload contains an API key, the results of a search or the content of a file. Source: ' +
      `[the device agent's](../../${agentSource}), [the cloud's](../../${cloudSource}).`,
    '## Device agent',
    '`agent.on(name, listener)` returns a function that removes the listener. If a listener throws, the agent continues and emits ' +
      '`listener:error`. `DeviceCloudError` is in [Errors](errors.md#deviceclouderror).',
    ...eventComments(agentSource, 'AgentEvents').map(toSection),
    '## Cloud',
    '`cloud.events` is an emitter of [eventemitter3](https://github.com/primus/eventemitter3): `cloud.events.on(name, ' +
      'listener)`, `off`, `once`. If a listener throws, its error goes to `onError`, and the other listeners still get the event. ' +
      'Only the process in which something happened emits the event; other processes on the same store do not.',
    ...eventComments(cloudSource, 'DeviceCloudEventMap').map(toSection),
    '## Agent runtime',
    '`runtime.events` is an emitter of the same kind. It emits the events of the [journal](platform/journal.md#journal) under the same ' +
      'names, after they are written. Listen to `event` to get all of them. If a listener throws, its error goes to the logger, and ' +
      'the other listeners still get the event.',
    `Payload: ${code('{ type: string; timestamp: string; runId?: string; data: object }')}`,
    'For the events inside one run, see its [stream](platform/stream.md#stream).',
  )
}

function toSection({ name, comment, payload }: EventComment): string {
  if (comment === '') throw new Error(`Could not document the event ${name}: it has no comment.`)
  const fields = payload
    .replaceAll(/\breadonly /g, '')
    .replaceAll(/([^{;\s])\n\s*(?!\s*\})/g, '$1; ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\b[A-Z]\w+\b/g, (name) => unions[name] ?? name)
  return [`### ${name}`, comment, `Payload: ${code(fields)}`].join('\n\n')
}
