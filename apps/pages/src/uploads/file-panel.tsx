import type { FileMatch, Upload } from '@homeward/contract/device-cloud'
import { FileDown } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { Link } from 'react-aria-components'
import { useCloudMutation } from '../api/cloud.ts'
import { Button } from '../components/buttons/button.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { SidePanel } from '../components/layout/side-panel.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { ByteSize } from '../components/text/byte-size.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { describeError as describeReason } from '../components/text/describe-error.ts'
import { formatTime } from '../components/text/relative-time.tsx'
import { DownloadLink } from './download-link.tsx'
import { addressOf, isHere, previewKind, saveFile } from './file-address.ts'
import './file-panel.css'
import { FilePreview } from './file-preview.tsx'
import { CancelUpload, UploadProgress } from './upload-progress.tsx'
import { isOpen, useUploads } from './use-uploads.ts'

/** A file of a device, as a search found it. */
export interface PanelFile {
  readonly device: { readonly id: string; readonly name: string }
  readonly path: string
  readonly name: string
  /** Bytes. */
  readonly size?: number | undefined
  /** When it was changed last, as the device said; ISO 8601. */
  readonly modified?: string | undefined
  /** Lines that hold the search text. */
  readonly matches?: readonly FileMatch[] | undefined
  /** Whether the device can give it: not a folder, nor a file that is gone. */
  readonly canGet: boolean
}

interface FilePanelProps {
  readonly file: PanelFile
  readonly onClose: () => void
}

/** One file beside the list that it is from: its content once it was fetched, where it is, and the button that fetches it. */
export function FilePanel({ file, onClose }: FilePanelProps) {
  const { device, path, name, size, modified, matches = [] } = file
  return (
    <SidePanel title={name} onClose={onClose}>
      {file.canGet && <FileContent key={`${device.id} ${path}`} file={file} />}
      {matches.length > 0 && (
        <CodeBlock
          code={matches.map(toMatchText).join('\n')}
          label={`matching lines of ${name}`}
          canCopy={false}
          isWrapped
        />
      )}
      <Facts
        facts={[
          ['Path', <FullPath key="path" path={path} />],
          [
            'Device',
            <Link key="device" href={`/devices/${encodeURIComponent(device.id)}`}>
              {device.name}
            </Link>,
          ],
          ['Size', size === undefined ? undefined : <ByteSize key="size" value={size} />],
          ['Changed', modified === undefined ? undefined : formatTime(modified)],
        ]}
      />
    </SidePanel>
  )
}

/** A line with where it stands: its page, or else its number. */
export const toMatchText = ({ line, text, page }: FileMatch): string =>
  `${page === undefined ? line : `page ${page}`}: ${text}`

/** A path in full, with a button that copies it. */
export function FullPath({ path }: { readonly path: string }) {
  return (
    <span className="full-path">
      <code>{path}</code>
      <CopyButton text={path} label="Copy path" isIconOnly />
    </span>
  )
}

/**
 * Fetches a file from its device, shows how that goes, and then the file; one that no browser shows is saved. A copy that is
 * older than the file shows as well: the clock of a device may be wrong, and the file gone.
 */
function FileContent({ file: { device, path, name, modified } }: { readonly file: PanelFile }) {
  const uploads = useUploads({ deviceId: device.id })
  const { last, copy, isCurrent } = findDownloads(uploads.data ?? [], { filePath: path, modified })
  const [wanted, setWanted] = useState<string>()
  const ask = useCloudMutation('createUploads', {
    invalidates: ['listUploads'],
    onSuccess: ({ uploadRequests: [request] }) => setWanted(request?.id),
    onError: (error) => showToast({ tone: 'bad', ...describeError(error) }),
  })
  const settle = useEffectEvent((upload: Upload) => {
    if (upload.status === 'completed' && previewKind(name) === undefined) void saveFile(upload)
    setWanted(undefined)
  })
  useEffect(() => {
    if (last && last.id === wanted && !isOpen(last)) settle(last)
  }, [last, wanted])

  if (last && isOpen(last)) {
    return (
      <div className="file-content">
        <UploadProgress upload={last} />
        <CancelUpload upload={last} />
      </div>
    )
  }
  const address = copy && addressOf(copy)
  const get = (
    <Button
      variant={copy ? 'secondary' : 'primary'}
      icon={<FileDown aria-hidden />}
      isPending={ask.isPending || uploads.isPending}
      onPress={() => ask.mutate({ body: { deviceIds: [device.id], filePath: path, destination: 'cloud' } })}
    >
      {last?.status === 'failed' ? 'Try again' : copy ? 'Get the new version' : 'Get file'}
    </Button>
  )
  return (
    <>
      {last?.status === 'failed' && (
        <Notice tone="bad">{describeReason(last.error) ?? 'The device gave no reason.'}</Notice>
      )}
      {copy && !isCurrent && copy.completedAt !== null && (
        <Notice tone="info">
          This copy is from {formatTime(copy.completedAt)}. The file may have changed.
        </Notice>
      )}
      {address !== undefined && isHere(address) ? (
        <FilePreview address={address} fileName={name} />
      ) : (
        !copy && <p className="muted">The file is on {device.name}. Get it to see it here.</p>
      )}
      <div className="row">
        {copy && <DownloadLink upload={copy} variant="primary" />}
        {!isCurrent && get}
      </div>
    </>
  )
}

/** The fetched content of one file. */
interface FileCopies {
  /** The last time that it was asked for. */
  readonly last: Upload | undefined
  /** The newest copy that is there. */
  readonly copy: Upload | undefined
  /** Whether that came of the last time, and the file was not changed since. */
  readonly isCurrent: boolean
}

/** Finds what was fetched of a file. @param uploads of its device, newest first. */
export function findDownloads(
  uploads: readonly Upload[],
  { filePath, modified }: { readonly filePath: string; readonly modified?: string | undefined },
): FileCopies {
  const own = uploads.filter((upload) => upload.filePath === filePath)
  const last = own[0]
  const copy = own.find(({ status }) => status === 'completed')
  const isChanged = modified !== undefined && Date.parse(modified) > Date.parse(copy?.completedAt ?? '')
  return { last, copy, isCurrent: copy !== undefined && copy === last && !isChanged }
}
