import type { ExportFormat } from '@homeward/contract/device-cloud'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { cloudToken } from '../../api/access-token.ts'
import { cloud, cloudBase } from '../../api/cloud.ts'
import { Button } from '../../components/buttons/button.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { saveAs } from '../../components/files/save-as.ts'
import { describeError } from '../../components/states/error-state.tsx'
import { showToast } from '../../components/states/toasts.tsx'

interface ExportButtonProps {
  readonly groupId: string
  readonly query: string
  readonly format: ExportFormat
}

/** Saves all results of a search as a file. A link sends no header: with an access token the page fetches the file itself. */
export function ExportButton(props: ExportButtonProps) {
  const { groupId, format } = props
  if (cloudToken.read() !== undefined) return <FetchButton {...props} />
  const address = `/api/devices/search/groups/${encodeURIComponent(groupId)}/export?format=${format}`
  return (
    <LinkButton href={cloudBase + address} variant="quiet" icon={<Download aria-hidden />} download>
      Save as {format.toUpperCase()}
    </LinkButton>
  )
}

function FetchButton({ groupId, query, format }: ExportButtonProps) {
  const [isPending, setIsPending] = useState(false)

  async function save(): Promise<void> {
    setIsPending(true)
    try {
      const content = await cloud.exportSearchGroup({ params: { id: groupId }, query: { format } })
      saveAs(await new Response(content).blob(), `${fileNameOf(query)}.${format}`)
    } catch (error) {
      showToast({ tone: 'bad', ...describeError(error instanceof Error ? error : new Error(String(error))) })
    } finally {
      setIsPending(false)
    }
  }

  return (
    <Button variant="quiet" icon={<Download aria-hidden />} isPending={isPending} onPress={() => void save()}>
      Save as {format.toUpperCase()}
    </Button>
  )
}

/** A name that every file system takes. */
const fileNameOf = (query: string) => query.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'search'
