import { useData, useRoute } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { nextTick, onMounted, watch } from 'vue'

/** Draws the diagrams of a page. Only pages that have one load Mermaid. */
async function drawDiagrams(isDark: boolean): Promise<void> {
  await nextTick()
  const nodes = [...document.querySelectorAll<HTMLElement>('pre.mermaid')]
  if (nodes.length === 0) return
  const { default: mermaid } = await import('mermaid')
  mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', theme: isDark ? 'dark' : 'default' })
  for (const node of nodes) {
    node.dataset['source'] ??= node.textContent ?? ''
    node.textContent = node.dataset['source']
    node.removeAttribute('data-processed')
  }
  await mermaid.run({ nodes })
}

/** Opens the page that has an operation or a shape now. Earlier, each HTTP API was one page, and links to it lead to the index. */
async function followOldAnchor(): Promise<void> {
  await nextTick()
  const { hash } = location
  if (hash.length < 2 || document.getElementById(decodeURIComponent(hash.slice(1)))) return
  document
    .querySelector<HTMLAnchorElement>(`.vp-doc a[href$="${CSS.escape(hash).replace('\\#', '#')}"]`)
    ?.click()
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute()
    const { isDark } = useData()
    onMounted(() => void drawDiagrams(isDark.value))
    onMounted(() => void followOldAnchor())
    watch([() => route.path, isDark], () => void drawDiagrams(isDark.value))
  },
}
