import { join } from "node:path"
import type { Page } from "playwright-core"

/** Where `SOTTO_PICTURES=docs/pictures npm run test:system -- inspector` keeps the pictures of the docs. */
const FOLDER = process.env.SOTTO_PICTURES

/** Keeps a picture of the page as it is, if pictures are wanted. */
export async function kept(page: Page, name: string, height?: number): Promise<void> {
  if (!FOLDER) return
  // What was clicked or typed last would stand out.
  await page.evaluate(() =>
    document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined,
  )
  const size = page.viewportSize()
  const clip = size && height !== undefined ? { x: 0, y: 0, width: size.width, height } : undefined
  await page.screenshot({ path: join(FOLDER, `${name}.png`), ...(clip && { clip }) })
}
