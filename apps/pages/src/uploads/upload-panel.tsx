import type { Upload } from '@homeward/contract/device-cloud'
import { ByteSize } from '../components/text/byte-size.tsx'
import { SidePanel } from '../components/layout/side-panel.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { FullPath } from './file-panel.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { Notice } from '../components/states/notice.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { formatTime } from '../components/text/relative-time.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { CancelUpload } from './upload-progress.tsx'
import { DownloadLink } from './download-link.tsx'
import { addressOf, isHere } from './file-address.ts'
import { FilePreview } from './file-preview.tsx'
import { previewKind } from './file-address.ts'
import { isOpen, useUploads } from './use-uploads.ts'

interface UploadPanelProps {
  /** Of the request. */
  readonly id: string
  /** Of the file. */
  readonly title: string
  readonly onClose: () => void
}

/** All that is known of an upload request, and its file, beside the list that it is from. */
export function UploadPanel({ id, title, onClose }: UploadPanelProps) {
  return (
    <SidePanel title={title} onClose={onClose}>
      <OneUpload id={id} />
    </SidePanel>
  )
}

/** Read on its own: it stays when it leaves the list, as a filter has it do. */
function OneUpload({ id }: { readonly id: string }) {
  return (
    <QueryView query={useUploads({ requestId: id })}>
      {([upload]) =>
        upload ? <UploadFacts upload={upload} /> : <p className="muted">Its device was deleted.</p>
      }
    </QueryView>
  )
}

/** The content of a file that the device cloud has and a browser can show. */
function UploadPreview({ upload }: { readonly upload: Upload }) {
  const address = addressOf(upload)
  const fileName = upload.fileName ?? upload.filePath
  if (address === undefined || !isHere(address) || previewKind(fileName) === undefined) return null
  return <FilePreview address={address} fileName={fileName} />
}

function UploadFacts({ upload }: { readonly upload: Upload }) {
  const { id, filePath, device, status, size, fileName, createdAt, completedAt, error, destination } = upload
  return (
    <>
      {status === 'failed' && <Notice tone="bad">{error ?? 'The device gave no reason.'}</Notice>}
      {status === 'completed' && <UploadPreview upload={upload} />}
      <div className="row">
        {isOpen(upload) && <CancelUpload upload={upload} />}
        {status === 'completed' && <DownloadLink upload={upload} variant="primary" />}
      </div>
      <Facts
        facts={[
          ['Path', <FullPath key="path" path={filePath} />],
          ['Device', device.name],
          ['Status', <StatusBadge key="status" status={status} />],
          ['Name', fileName],
          ['Size', size === undefined ? undefined : <ByteSize key="size" value={size} />],
          ['Destination', destination],
          ['Asked', formatTime(createdAt)],
          ['Settled', completedAt === null ? undefined : formatTime(completedAt)],
          ['Id', <CopyButton key="id" text={id} label="Copy id" />],
        ]}
      />
    </>
  )
}
