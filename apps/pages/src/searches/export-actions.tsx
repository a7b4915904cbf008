import type { ExportFormat, SearchGroup } from '@homeward/contract/device-cloud'
import { Download } from 'lucide-react'
import { cloudToken } from '../api/access-token.ts'
import { cloud, cloudBase } from '../api/cloud.ts'
import type { MenuAction } from '../components/buttons/action-menu.tsx'
import { saveAs } from '../components/files/to-csv.ts'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

const formats = ['csv', 'ndjson'] as const

/** Actions that save all results of a search as a file. A link sends no header, so with an access token the page fetches the file itself. */
export function exportActions(group: SearchGroup): MenuAction[] {
  return formats.map((format) => ({
    label: `Save as ${format.toUpperCase()}`,
    icon: <Download aria-hidden />,
    ...(cloudToken.read() === undefined
      ? { href: `${cloudBase}${exportPath(group, format)}`, download: true }
      : { onAction: () => void save(group, format) }),
  }))
}

const exportPath = ({ id }: SearchGroup, format: ExportFormat) =>
  `/api/devices/search/groups/${encodeURIComponent(id)}/export?format=${format}`

async function save({ id, query }: SearchGroup, format: ExportFormat): Promise<void> {
  try {
    const content = await cloud.exportSearchGroup({ params: { id }, query: { format } })
    saveAs(await new Response(content).blob(), `${fileNameOf(query)}.${format}`)
  } catch (error) {
    showToast({ tone: 'bad', ...describeError(error instanceof Error ? error : new Error(String(error))) })
  }
}

/** A name that every file system takes. */
const fileNameOf = (query: string) => query.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'search'
