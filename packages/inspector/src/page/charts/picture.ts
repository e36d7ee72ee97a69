import { download } from "../data/download.js"

const PROPERTIES = [
  "fill",
  "stroke",
  "stroke-width",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
]

function svgText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg")
  const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")]
  from.forEach((element, i) => {
    const style = getComputedStyle(element)
    const target = to[i]
    if (target === undefined) return
    for (const name of PROPERTIES) target.setAttribute(name, style.getPropertyValue(name))
    target.removeAttribute("class")
    target.removeAttribute("style")
  })
  const back = document.createElementNS("http://www.w3.org/2000/svg", "rect")
  back.setAttribute("width", "100%")
  back.setAttribute("height", "100%")
  back.setAttribute("fill", getComputedStyle(document.body).backgroundColor)
  copy.prepend(back)
  return new XMLSerializer().serializeToString(copy)
}

export function saveSvg(svg: SVGSVGElement, name: string): void {
  download(`${name}.svg`, svgText(svg), "image/svg+xml")
}

/** Saves the drawing in pixels, twice as fine as it is shown. */
export async function savePng(svg: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect()
  const image = new Image()
  const url = URL.createObjectURL(new Blob([svgText(svg)], { type: "image/svg+xml" }))
  try {
    await new Promise<void>((resolve, reject) => {
      image.onload = () => resolve()
      image.onerror = () => reject(new Error("The chart cannot be drawn as a picture."))
      image.src = url
    })
    const canvas = document.createElement("canvas")
    canvas.width = Math.ceil(width * 2)
    canvas.height = Math.ceil(height * 2)
    const context = canvas.getContext("2d")
    context?.scale(2, 2)
    context?.drawImage(image, 0, 0, width, height)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"))
    if (blob) download(`${name}.png`, blob)
  } finally {
    URL.revokeObjectURL(url)
  }
}
