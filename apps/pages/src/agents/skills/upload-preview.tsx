import type { SkillPreview } from '@homeward/contract/agent-platform'
import { usePlatformMutation } from '../../api/platform.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { SkillOffer } from './skill-offer.tsx'

/** A file that was read as a skill. */
export interface OfferedFile {
  readonly file: File
  readonly isArchive: boolean
  readonly skill: SkillPreview
}

/** What an {@link UploadPreview} takes. */
export interface UploadPreviewProps {
  readonly offered: OfferedFile
  readonly onInstalled: (skillId: string) => void
  readonly onClose: () => void
}

/** A skill from a file, before it is installed (D20). */
export function UploadPreview({ offered, onInstalled, onClose }: UploadPreviewProps) {
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
export function toUpload(file: File) {
  return { form: {}, file: { fileName: file.name, size: file.size, content: file } }
}
