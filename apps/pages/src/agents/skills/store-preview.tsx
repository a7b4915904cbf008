import type { StoreSkillPreview } from '@homeward/contract/agent-platform'
import { usePlatformMutation, usePlatformQuery } from '../../api/platform.ts'
import { QueryView } from '../../components/states/query-view.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { SkillOffer } from './skill-offer.tsx'

/** What a {@link StorePreview} takes. */
export interface StorePreviewProps {
  readonly slug: string
  readonly onDone: () => void
}

/** A skill of the store, before anybody installs it (D20). */
export function StorePreview({ slug, onDone }: StorePreviewProps) {
  const query = usePlatformQuery('previewStoreSkill', { query: { slug } })
  return (
    <QueryView query={query} loadingLabel="Loading the skill from the store …">
      {({ skill }) => <Preview skill={skill} onDone={onDone} onOutdated={() => void query.refetch()} />}
    </QueryView>
  )
}

interface PreviewProps {
  readonly skill: StoreSkillPreview
  readonly onDone: () => void
  /** The store has other content by now. */
  readonly onOutdated: () => void
}

function Preview({ skill, onDone, onOutdated }: PreviewProps) {
  const { slug, name, installed, hash } = skill
  const install = usePlatformMutation('installSkill', {
    invalidates: ['listSkills', 'getSkill', 'previewStoreSkill', 'getSkillConfigSchema', 'getSkillConfig'],
    onSuccess() {
      showToast({ title: installed ? `${name} updated` : `${name} installed` })
      onDone()
    },
    onError: onOutdated,
  })
  return (
    <SkillOffer
      skill={skill}
      isPending={install.isPending}
      error={install.error}
      onInstall={() => install.mutate({ body: { slug, hash } })}
      onClose={onDone}
    />
  )
}
