import type { Json } from '@homeward/contract/agent-platform'
import { useCloudQuery } from '../api/cloud.ts'

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

/** So many devices are named. */
const mostNamed = 3

/** Whether the question says all that the arguments do: then they can be folded. */
export const isToldByQuestion = ({ tool, args }: CallQuestionProps): boolean =>
  readSearch(tool, args) !== undefined

/** A decision as a question: `Search for *invoice* on *NAS workshop*?` */
export function CallQuestion({ tool, args }: CallQuestionProps) {
  const search = readSearch(tool, args)
  if (!search) {
    return (
      <>
        May it run <code>{tool}</code>?
      </>
    )
  }
  const { query, deviceIds } = search
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

/** A search that has no conditions beside its words and devices; undefined for any other call. */
export function readSearch(tool: string, args: Json): AskedSearch | undefined {
  if (tool !== 'devices_search' || typeof args !== 'object' || args === null || Array.isArray(args))
    return undefined
  const { query, deviceIds = [], scope = ['files'], where } = args
  const isOfFiles = Array.isArray(scope) && scope.length === 1 && scope[0] === 'files'
  if (typeof query !== 'string' || query.trim() === '' || where !== undefined || !isOfFiles) return undefined
  if (!Array.isArray(deviceIds) || !deviceIds.every((id) => typeof id === 'string')) return undefined
  return { query: query.trim(), deviceIds }
}
