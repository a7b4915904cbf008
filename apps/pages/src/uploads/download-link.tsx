import type { Upload } from '@homeward/contract/device-cloud'
import { Download } from 'lucide-react'
import { cloudToken } from '../api/access-token.ts'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { addressOf, isHere } from './file-address.ts'
import { useState } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { saveFile } from './file-address.ts'
import { RelativeTime } from '../components/text/relative-time.tsx'

interface DownloadLinkProps {
  readonly upload: Upload
  /** Whether the file was changed since: then it says when it was fetched. @default false */
  readonly isOld?: boolean
}

/** Leads to an uploaded file, where the server gave an address of the web for it. */
export function DownloadLink({ upload, isOld = false }: DownloadLinkProps) {
  const address = addressOf(upload)
  if (address === undefined) return <span className="muted">no address</span>
  // A link sends no header: with a token the page has to fetch the file itself.
  if (isHere(address) && cloudToken.read() !== undefined) {
    return <SaveButton upload={upload} isOld={isOld} />
  }
  return (
    <LinkButton
      href={address}
      variant="quiet"
      icon={<Download aria-hidden />}
      {...(isHere(address)
        ? { download: upload.fileName ?? true }
        : { target: '_blank', rel: 'noopener noreferrer nofollow' })}
    >
      <DownloadText upload={upload} isOld={isOld} />
    </LinkButton>
  )
}

interface SaveButtonProps {
  readonly upload: Upload
  /** Whether the file was changed since. */
  readonly isOld: boolean
}

/** Fetches an uploaded file with the token of the tab, and saves it. */
function SaveButton({ upload, isOld }: SaveButtonProps) {
  const [isPending, setIsPending] = useState(false)

  async function save(): Promise<void> {
    setIsPending(true)
    await saveFile(upload)
    setIsPending(false)
  }

  return (
    <Button variant="quiet" icon={<Download aria-hidden />} isPending={isPending} onPress={() => void save()}>
      <DownloadText upload={upload} isOld={isOld} />
    </Button>
  )
}

interface DownloadTextProps {
  readonly upload: Upload
  /** Whether the file was changed since it was fetched. */
  readonly isOld: boolean
}

/** What stands on the way to a file: of an old copy, when it was fetched. Those who listen are told which file it is. */
function DownloadText({ upload: { fileName, filePath, completedAt }, isOld }: DownloadTextProps) {
  const name = fileName ?? filePath
  if (!isOld || completedAt === null) {
    return (
      <span>
        Download<span className="visually-hidden"> {name}</span>
      </span>
    )
  }
  return (
    <span className="truncate">
      <span className="visually-hidden">Download {name}, </span>
      Fetched <RelativeTime value={completedAt} />
    </span>
  )
}
