import { useSearchParams, useLocation } from 'wouter'
import { PageHeader } from '../components/layout/page-header.tsx'
import { Tabs } from '../components/layout/tabs.tsx'
import { InstalledSkills } from './installed-skills.tsx'
import { SkillStoreList } from './skill-store-list.tsx'
import { useState } from 'react'
import { usePlatformMutation } from '../api/platform.ts'
import { Card } from '../components/layout/card.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { FileDrop } from '../components/fields/file-drop.tsx'
import type { SkillPreview } from '@homeward/contract/agent-platform'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { SkillOffer } from './skill-offer.tsx'

const tabs = ['installed', 'store', 'upload'] as const

/** Skills: those that are there, those of the store, and one's own. */
export function SkillsPage() {
  // In the address, so that a link, a reload and the way back keep it.
  const [search, setSearch] = useSearchParams()
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'installed'
  const choose = (next: string) => setSearch(next === 'installed' ? {} : { tab: next })
  return (
    <>
      <PageHeader
        title="Skills"
        description="Modules that agents use: instructions, and tools that call services or run programs."
      />
      <Tabs
        label="Skills"
        selected={tab}
        onSelect={choose}
        tabs={[
          {
            id: 'installed',
            label: 'Installed',
            content: <InstalledSkills onAdd={() => choose('upload')} />,
          },
          { id: 'store', label: 'Store', content: <SkillStoreList /> },
          { id: 'upload', label: 'Upload', content: <AddSkill /> },
        ]}
      />
    </>
  )
}

const maxBytes = 50 * 1024 * 1024

/** Installs a skill from a file, a zip archive or one SKILL.md, once it was looked at. */
function AddSkill() {
  const [, navigate] = useLocation()
  const [problem, setProblem] = useState<Error>()
  const [offered, setOffered] = useState<OfferedFile>()
  const preview = usePlatformMutation('previewUploadedSkill')
  const error = problem ?? preview.error

  async function look(file: File): Promise<void> {
    setProblem(undefined)
    preview.reset()
    if (file.size > maxBytes)
      return setProblem(new Error(`${file.name} is larger than 50 MiB, the limit for skills.`))
    const isZip = await isArchive(file).catch(() => undefined)
    if (isZip === undefined) return setProblem(new Error(`${file.name} cannot be read. Choose another file.`))
    preview.mutate(toUpload(file), {
      onSuccess: ({ skill }) => setOffered({ file, isArchive: isZip, skill }),
    })
  }

  return (
    <Card title="Your own skill">
      <p className="muted">
        A ZIP archive with a SKILL.md or a skill.yaml, or a SKILL.md alone. You see its permissions and what
        it replaces before you install it.
      </p>
      <FileDrop
        label="Drop a .zip or a .md file here"
        buttonLabel="Choose a file"
        endings={['.zip', '.md', '.markdown']}
        onFiles={([file]) => void look(file)}
        isPending={preview.isPending}
      />
      {error && <ErrorState error={error} isInline />}
      {offered && (
        <UploadPreview
          offered={offered}
          onInstalled={(id) => navigate(`/skills/${id}`)}
          onClose={() => setOffered(undefined)}
        />
      )}
    </Card>
  )
}

/** By its first bytes: names say anything. */
async function isArchive(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  return first === 0x50 && second === 0x4b
}

/** A file that was read as a skill. */
interface OfferedFile {
  readonly file: File
  readonly isArchive: boolean
  readonly skill: SkillPreview
}

/** What an {@link UploadPreview} takes. */
interface UploadPreviewProps {
  readonly offered: OfferedFile
  readonly onInstalled: (skillId: string) => void
  readonly onClose: () => void
}

/** A skill from a file, before it is installed (D20). */
function UploadPreview({ offered, onInstalled, onClose }: UploadPreviewProps) {
  const { file, isArchive, skill } = offered
  const upload = usePlatformMutation(isArchive ? 'uploadSkill' : 'uploadSkillMarkdown', {
    invalidates: ['listSkills', 'getSkill', 'getSkillConfigSchema', 'getSkillConfig'],
    onSuccess({ skill: { id } }) {
      showToast({ title: `${id} ${skill.installed ? 'updated' : 'installed'}` })
      onInstalled(id)
    },
  })
  return (
    <Dialog title={skill.name} isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <SkillOffer
        skill={skill}
        isPending={upload.isPending}
        error={upload.error}
        onInstall={() => upload.mutate(toUpload(file))}
        onClose={onClose}
      />
    </Dialog>
  )
}

/** The file as a part of a form. */
function toUpload(file: File) {
  return { form: {}, file: { fileName: file.name, size: file.size, content: file } }
}
