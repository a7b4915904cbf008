import type { Upload } from '@homeward/contract/device-cloud'
import { Download } from 'lucide-react'
import { cloudToken } from '../api/access-token.ts'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { addressOf, isHere } from './file-address.ts'
import { useState } from 'react'
import { Button, type ButtonVariant } from '../components/buttons/button.tsx'
import { saveFile } from './file-address.ts'

interface DownloadLinkProps {
  readonly upload: Upload
  /** @default 'quiet' */
  readonly variant?: ButtonVariant
}

/** Leads to an uploaded file, where the server gave an address of the web for it. */
export function DownloadLink({ upload, variant = 'quiet' }: DownloadLinkProps) {
  const address = addressOf(upload)
  if (address === undefined) return <span className="muted">no address</span>
  // A link sends no header: with a token the page has to fetch the file itself.
  if (isHere(address) && cloudToken.read() !== undefined) {
    return <SaveButton upload={upload} variant={variant} />
  }
  return (
    <LinkButton
      href={address}
      variant={variant}
      icon={<Download aria-hidden />}
      {...(isHere(address)
        ? { download: upload.fileName ?? true }
        : { target: '_blank', rel: 'noopener noreferrer nofollow' })}
    >
      <DownloadText upload={upload} />
    </LinkButton>
  )
}

/** Fetches an uploaded file with the token of the tab, and saves it. */
function SaveButton({ upload, variant }: Required<DownloadLinkProps>) {
  const [isPending, setIsPending] = useState(false)

  async function save(): Promise<void> {
    setIsPending(true)
    await saveFile(upload)
    setIsPending(false)
  }

  return (
    <Button
      variant={variant}
      icon={<Download aria-hidden />}
      isPending={isPending}
      onPress={() => void save()}
    >
      <DownloadText upload={upload} />
    </Button>
  )
}

/** Those who listen are told which file it is. */
function DownloadText({ upload: { fileName, filePath } }: { readonly upload: Upload }) {
  return (
    <span>
      Download<span className="visually-hidden"> {fileName ?? filePath}</span>
    </span>
  )
}
