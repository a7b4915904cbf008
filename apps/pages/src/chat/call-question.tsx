import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { ReactNode } from 'react'
import { useCloudQuery } from '../api/cloud.ts'
import { usePlatformQuery } from '../api/platform.ts'
import { useIsLimited } from '../api/server-facts.ts'
import { useAgentName } from '../components/agents/agent-filter.tsx'

interface CallQuestionProps {
  readonly tool: string
  readonly args: Json
}

/** A search on devices, as the arguments of its tool have it. */
interface AskedSearch {
  readonly query: string
  /** None: devices that a filter matches. */
  readonly deviceIds: readonly string[]
}

/** A call in the words of people. */
interface ToldCall {
  readonly question: ReactNode
  /** A long argument, to be read below the question as it stands. */
  readonly text?: string
  /** The arguments that question and text contain. */
  readonly told: readonly string[]
}

/** Reads a text from the arguments: undefined if it is missing, blank or not a text. */
type GetText = (name: string) => string | undefined

/** So many devices are named. */
const mostNamed = 3
/** So many arguments of a tool are listed. */
const mostListed = 6
/** Longer commands stand below their question. */
const longestInQuestion = 100

/** Whether question and text say all that the arguments do: then the arguments can be folded. */
export function isToldByQuestion({ tool, args }: CallQuestionProps): boolean {
  if (readSearch(tool, args) !== undefined) return true
  const { told = [] } = toldCall(tool, args) ?? {}
  return isObject(args) && told.length > 0 && Object.keys(args).every((key) => told.includes(key))
}

/** The long argument of a call, such as the content of a file; undefined for calls without one. */
export const longArgumentOf = ({ tool, args }: CallQuestionProps): string | undefined =>
  toldCall(tool, args)?.text

/** A decision as a question: `Search for *invoice* on *NAS workshop*?` */
export function CallQuestion({ tool, args }: CallQuestionProps) {
  const search = readSearch(tool, args)
  if (search) return <SearchQuestion {...search} />
  const call = toldCall(tool, args)
  if (call) return <>{call.question}?</>
  return <SkillQuestion tool={tool} />
}

/** Arguments of any tool that a list can show: few, short, and none of them nested. Undefined for others. */
export function toShortArguments(
  args: Json,
): readonly (readonly [name: string, value: string])[] | undefined {
  if (!isObject(args)) return undefined
  const entries = Object.entries(args).flatMap(([name, value]) => {
    const text = typeof value === 'object' ? undefined : `${value}`
    const isShort = text !== undefined && name.length + text.length <= longestInQuestion
    return isShort ? [[name.replaceAll('_', ' '), text] as const] : []
  })
  return entries.length > mostListed || entries.length < Object.keys(args).length ? undefined : entries
}

/** A call of a tool that a skill may have: with the request that it sends, or with the name of the skill. */
function SkillQuestion({ tool }: { readonly tool: string }) {
  // People who see only what is their own do not see the skills.
  const isReadable = !useIsLimited()
  const { data } = usePlatformQuery('listSkills', {}, { enabled: isReadable })
  const skill = data?.skills
    .flatMap((each) => ('tools' in each ? [each] : []))
    .find(({ tools }) => tools.includes(tool))
  const details = usePlatformQuery(
    'getSkill',
    { params: { id: skill?.id ?? '' } },
    { enabled: skill !== undefined },
  )
  const found = details.data?.skill
  const known = found && 'tools' in found ? found : undefined
  const request = known?.requests?.find((each) => each.tool === tool)
  if (skill === undefined) {
    return (
      <>
        May it run <code>{tool}</code>?
      </>
    )
  }
  return (
    <>
      {request ? 'Call ' : 'Run '}
      <em>{request ? `${request.method} ${toAddress(request.path, known?.base_host)}` : tool}</em> for the
      skill <em>{skill.name}</em>?
    </>
  )
}

/** Where a request goes, without its scheme. */
function toAddress(path: string, host: string | null | undefined): string {
  return path.startsWith('/') || path.startsWith('{{base}}')
    ? `${host ?? 'its service'}${path.replace('{{base}}', '')}`
    : path.replace(/^https?:\/\//, '')
}

function SearchQuestion({ query, deviceIds }: AskedSearch) {
  const others = deviceIds.length - mostNamed
  return (
    <>
      Search for <em>{query}</em> on {deviceIds.length === 0 && 'your devices'}
      {deviceIds.slice(0, mostNamed).map((id, place) => (
        <span key={id}>
          {place > 0 && ', '}
          <DeviceName id={id} />
        </span>
      ))}
      {others > 0 && ` and ${others} more`}?
    </>
  )
}

function DeviceName({ id }: { readonly id: string }) {
  const { data } = useCloudQuery('getDevice', { params: { id } })
  return <em>{data?.device.name ?? id}</em>
}

function NamedAgent({ id }: { readonly id: string }) {
  return <em>{useAgentName(id)}</em>
}

function ask(before: string, what?: ReactNode, after = ''): ReactNode {
  return (
    <>
      {before}
      {what !== undefined && <> {typeof what === 'string' ? <em>{what}</em> : what}</>}
      {after}
    </>
  )
}

/** Calls of built-in tools, by their string arguments; undefined for arguments of another form. */
const builtIn: Readonly<Record<string, (get: GetText, args: JsonObject) => ToldCall | undefined>> = {
  write_file(get) {
    const [path, content] = [get('path'), get('content')]
    if (path === undefined || content === undefined) return undefined
    return { question: ask('Write the file', path), text: content, told: ['path', 'content'] }
  },
  memory_write(get, { tags = [] }) {
    const text = get('text')
    if (text === undefined || !isTextList(tags)) return undefined
    const after = tags.length === 0 ? '' : ` with the tags ${tags.join(', ')}`
    return { question: ask('Save this memory', undefined, after), text, told: ['text', 'tags'] }
  },
  send_message(get) {
    const [channel, to, text] = [get('channel'), get('conversation_id'), get('text')]
    if (channel === undefined || to === undefined || text === undefined) return undefined
    const question = ask('Send this message to', to, ` on ${channel}`)
    return { question, text, told: ['channel', 'conversation_id', 'text'] }
  },
  web_fetch(get) {
    const url = get('url')
    return url === undefined ? undefined : { question: ask('Fetch the page', url), told: ['url'] }
  },
  run_agent(get) {
    const [id, task] = [get('agent_id'), get('task')]
    if (id === undefined || task === undefined) return undefined
    const question = ask('Give this task to', <NamedAgent id={id} />)
    return { question, text: task, told: ['agent_id', 'task'] }
  },
  run_code(get) {
    const code = get('code')
    return code === undefined ? undefined : { question: 'Run this program', text: code, told: ['code'] }
  },
}

function toldCall(tool: string, args: Json): ToldCall | undefined {
  if (!isObject(args)) return undefined
  // The arguments are those of the call that was made: they stay in sight.
  if (tool.startsWith('undo:'))
    return { question: ask('Take back this call of', tool.slice('undo:'.length)), told: [] }
  const get = (name: string) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  return Object.hasOwn(builtIn, tool)
    ? builtIn[tool]?.(get, args)
    : (toldCommand(tool, get) ?? toldRequest(tool, get))
}

/** A command for a program of any tool. The question names the tool, whose author chose the words. */
function toldCommand(tool: string, get: GetText): ToldCall | undefined {
  const command = get('command')
  if (command === undefined) return undefined
  const isLong = command.length > longestInQuestion || command.includes('\n')
  const told = ['command']
  const by = ` with ${tool}`
  if (isLong) return { question: ask('Run this command', undefined, by), text: command, told }
  return { question: ask('Run', command, by), told }
}

/** A request of any tool to an address. */
function toldRequest(tool: string, get: GetText): ToldCall | undefined {
  const url = get('url') ?? ''
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return undefined
  const method = get('method')?.toUpperCase() ?? 'a request'
  // The path can matter as much as the host, so the arguments stay in sight.
  return { question: ask(`Send ${method} to`, new URL(url).host, ` with ${tool}`), told: [] }
}

/** A search that has no conditions beside its words and devices; undefined for any other call. */
export function readSearch(tool: string, args: Json): AskedSearch | undefined {
  if (tool !== 'devices_search' || !isObject(args)) return undefined
  const { query, deviceIds = [], scope = ['files'], where } = args
  const isOfFiles = Array.isArray(scope) && scope.length === 1 && scope[0] === 'files'
  if (typeof query !== 'string' || query.trim() === '' || where !== undefined || !isOfFiles) return undefined
  if (!isTextList(deviceIds)) return undefined
  return { query: query.trim(), deviceIds }
}

const isTextList = (value: Json): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

const isObject = (args: Json): args is JsonObject =>
  typeof args === 'object' && args !== null && !Array.isArray(args)
