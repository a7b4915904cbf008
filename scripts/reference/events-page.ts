import { UploadStatus } from '@homeward/contract/device-cloud'
import { code, generatedNote, page } from './markdown.ts'
import { type EventComment, eventComments, unionText } from './source-comments.ts'

const agentSource = 'packages/device-sdk/src/agent/agent-events.ts'
const cloudSource = 'packages/cloud-core/src/cloud-events.ts'

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
    'Facts as they happen. No payload holds an API key, the results of a search or the content of a file. Source: ' +
      `[the device agent's](../../${agentSource}), [the cloud's](../../${cloudSource}).`,
    '## Device agent',
    '`agent.on(name, listener)` returns a function that ends it. A listener that throws stops nothing: it becomes ' +
      '`listener:error`. `DeviceCloudError` is in [Errors](errors.md#deviceclouderror).',
    ...eventComments(agentSource, 'AgentEvents').map(toSection),
    '## Cloud',
    '`cloud.events` is an emitter of [eventemitter3](https://github.com/primus/eventemitter3): `cloud.events.on(name, ' +
      'listener)`, `off`, `once`. The error of a listener that throws goes to `onError`; the listeners after it hear the ' +
      'event all the same. Events are told by the process where they happened; other processes on the same store do not hear them.',
    ...eventComments(cloudSource, 'CloudEvents').map(toSection),
    '## Agent runtime',
    '`runtime.events` is an emitter of the same kind. It tells what the [journal](agent-platform.md#journal) holds, under the ' +
      'same names, once it is written; `event` tells each of them. The error of a listener that throws goes to the logger, and the ' +
      'listeners after it hear the event all the same.',
    `Payload: ${code('{ type: string; timestamp: string; runId?: string; data: object }')}`,
    'What happens inside one run: its [stream](agent-platform.md#stream).',
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
