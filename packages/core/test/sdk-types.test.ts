import type {
  BetaContentBlockParam,
  BetaToolUnion,
  MessageCreateParams,
} from "@anthropic-ai/sdk/resources/beta"
import type { Tool as GeminiTool, GenerationConfig, Part } from "@google/genai"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"
import type { ChatCompletionCreateParams, ChatCompletionMessageParam } from "openai/resources"
import type { ResponseCreateParams, ResponseInputItem, Tool } from "openai/resources/responses/responses"
import { describe, expect, it } from "vitest"

/**
 * One example of every member of the official SDKs' request types. The compiler asks for an example of each, so that a
 * type which a newer SDK adds is missed here and not by a user.
 */

/** Every union is listed by its discriminator. */
type Each<Union extends { type?: unknown }> = {
  readonly [Type in NonNullable<Union["type"]> & string]: object
}

const errors = (problems: readonly { readonly severity: string; readonly message: string }[]) =>
  problems.filter(({ severity }) => severity === "error").map(({ message }) => message)

const SCHEMA = { type: "object", properties: {} }

describe("Anthropic's Messages", () => {
  const screen = { name: "computer", display_width_px: 800, display_height_px: 600 }
  const tools: Each<BetaToolUnion> = {
    custom: { name: "read", input_schema: SCHEMA, strict: true, defer_loading: true, input_examples: [{}] },
    bash_20241022: { name: "bash" },
    bash_20250124: { name: "bash" },
    code_execution_20250522: { name: "code_execution" },
    code_execution_20250825: { name: "code_execution" },
    code_execution_20260120: { name: "code_execution" },
    code_execution_20260521: { name: "code_execution" },
    browser_toolset_20260801: {},
    computer_20241022: screen,
    computer_20250124: screen,
    computer_20251124: { ...screen, enable_zoom: true },
    computer_toolset_20260801: {},
    memory_20250818: { name: "memory" },
    text_editor_20241022: { name: "str_replace_editor" },
    text_editor_20250124: { name: "str_replace_editor" },
    text_editor_20250429: { name: "str_replace_based_edit_tool" },
    text_editor_20250728: { name: "str_replace_based_edit_tool", max_characters: 10_000 },
    web_search_20250305: { name: "web_search", max_uses: 5, allowed_domains: ["example.com"] },
    web_search_20260209: { name: "web_search" },
    web_search_20260318: { name: "web_search" },
    web_fetch_20250910: { name: "web_fetch", citations: { enabled: true } },
    web_fetch_20260209: { name: "web_fetch" },
    web_fetch_20260309: { name: "web_fetch", use_cache: true },
    web_fetch_20260318: { name: "web_fetch" },
    advisor_20260301: { name: "advisor", model: "claude-opus-5" },
    tool_search_tool_bm25: { name: "tool_search_tool_bm25" },
    tool_search_tool_bm25_20251119: { name: "tool_search_tool_bm25" },
    tool_search_tool_regex: { name: "tool_search_tool_regex" },
    tool_search_tool_regex_20251119: { name: "tool_search_tool_regex" },
    mcp_toolset: { mcp_server_name: "example", default_config: { enabled: true } },
  }
  const body = (fields: object) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 2_000,
    messages: [{ role: "user", content: "Hello" }],
    ...fields,
  })

  it.each(Object.entries(tools))("takes the tool %s", (type, tool) => {
    expect(anthropic.validate(body({ tools: [{ type, ...tool }] }))).toEqual([])
  })

  const blocks: Each<BetaContentBlockParam> = {
    text: { text: "x", citations: null, cache_control: { type: "ephemeral", ttl: "1h" } },
    image: { source: { type: "url", url: "https://example.com/a.png" } },
    document: {
      source: { type: "file", file_id: "file_1" },
      title: "t",
      context: "c",
      citations: { enabled: true },
    },
    search_result: { source: "s", title: "t", content: [{ type: "text", text: "x" }] },
    thinking: { thinking: "Hm", signature: "signed" },
    redacted_thinking: { data: "abc" },
    tool_use: { id: "toolu_1", name: "read", input: {}, caller: { type: "direct" } },
    tool_result: {
      tool_use_id: "toolu_1",
      content: [{ type: "search_result", source: "s", title: "t", content: [] }],
    },
    server_tool_use: { id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
    web_search_tool_result: { tool_use_id: "srvtoolu_1", content: [] },
    web_fetch_tool_result: {
      tool_use_id: "srvtoolu_1",
      content: { type: "web_fetch_tool_result_error", error_code: "unavailable" },
    },
    advisor_tool_result: { tool_use_id: "srvtoolu_1", content: {} },
    code_execution_tool_result: { tool_use_id: "srvtoolu_1", content: {} },
    bash_code_execution_tool_result: { tool_use_id: "srvtoolu_1", content: {} },
    text_editor_code_execution_tool_result: { tool_use_id: "srvtoolu_1", content: {} },
    tool_search_tool_result: { tool_use_id: "srvtoolu_1", content: {} },
    mcp_tool_use: { id: "mcptoolu_1", name: "m", server_name: "example", input: {} },
    mcp_tool_result: { tool_use_id: "mcptoolu_1", content: "ok" },
    container_upload: { file_id: "file_1" },
    compaction: { content: "Before." },
    tool_addition: { tool: { type: "tool_definition", definition: { name: "late", input_schema: SCHEMA } } },
    tool_removal: { tool: { type: "tool_reference", name: "read" } },
    mcp_tool_listing: { mcp_server_name: "example", tools: [] },
    fallback: { from: {}, to: {} },
  }
  const ROLES: Readonly<Record<string, string>> = {
    tool_addition: "system",
    tool_removal: "system",
    image: "user",
    document: "user",
    search_result: "user",
    container_upload: "user",
  }

  it.each(Object.entries(blocks))("takes the block %s", (type, rest) => {
    const block = { type, ...rest }
    const ask = { role: "user", content: "Hello" }
    const call = {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }],
    }
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "x" }] }
    const messages =
      type === "tool_use"
        ? [ask, { role: "assistant", content: [block] }, result]
        : type === "tool_result"
          ? [ask, call, { role: "user", content: [block] }]
          : [ask, { role: ROLES[type] ?? "assistant", content: [block] }, ...(ROLES[type] ? [] : [ask])]
    const model = ROLES[type] === "system" ? "claude-opus-5" : "claude-sonnet-4-5"
    expect(
      errors(anthropic.validate(body({ model, tools: [{ name: "read", input_schema: SCHEMA }], messages }))),
    ).toEqual([])
  })

  it("knows every field of a request", () => {
    const fields: Record<Exclude<keyof MessageCreateParams, "betas">, unknown> = {
      model: "claude-sonnet-4-5",
      max_tokens: 2_000,
      messages: [{ role: "user", content: "Hello" }],
      cache_control: { type: "ephemeral" },
      compaction: null,
      container: "container_1",
      context_management: { edits: [] },
      diagnostics: { previous_message_id: null },
      fallback_credit_token: null,
      fallbacks: "default",
      inference_geo: "us",
      mcp_servers: [{ type: "url", name: "example", url: "https://example.com/mcp" }],
      metadata: { user_id: "u" },
      output_config: { effort: "high" },
      output_format: null,
      service_tier: "auto",
      speed: null,
      stop_sequences: ["END"],
      stream: true,
      system: "Be brief.",
      thinking: { type: "disabled" },
      thread: null,
      tool_choice: { type: "auto" },
      tools: [{ name: "read", input_schema: SCHEMA }],
      user_profile_id: "u",
      workspace_id: "w",
    }
    expect(anthropic.validate({ ...fields, temperature: 0.5, top_k: 5 })).toEqual([])
  })

  it("notes what is newer than its types, and refuses nothing of it", () => {
    const problems = anthropic.validate(
      body({
        tools: [{ type: "teleport_20300101", name: "teleport" }],
        messages: [{ role: "user", content: [{ type: "hologram", data: "x" }] }],
      }),
    )
    expect(problems.map(({ path, severity }) => [path, severity])).toEqual([
      ["tools.0.type", "note"],
      ["messages.0.content.0", "note"],
    ])
  })
})

describe("OpenAI's Responses", () => {
  const body = (fields: object) => ({ model: "gpt-5.6", input: "Hello", ...fields })
  const tools: Each<Tool> = {
    function: { name: "read", parameters: null, strict: null },
    custom: { name: "patch", format: { type: "text" } },
    namespace: {
      name: "mail",
      description: "d",
      tools: [{ type: "function", name: "send", parameters: SCHEMA }],
    },
    tool_search: { execution: "client" },
    file_search: { vector_store_ids: ["vs_1"] },
    computer: {},
    computer_use_preview: { display_height: 600, display_width: 800, environment: "linux" },
    web_search: { search_context_size: "low" },
    web_search_2025_08_26: {},
    web_search_preview: {},
    web_search_preview_2025_03_11: {},
    mcp: { server_label: "example", server_url: "https://example.com/mcp", require_approval: "never" },
    code_interpreter: { container: { type: "auto" } },
    programmatic_tool_calling: {},
    image_generation: { size: "1024x1024" },
    local_shell: {},
    shell: {},
    apply_patch: {},
  }

  it.each(Object.entries(tools))("takes the tool %s", (type, tool) => {
    expect(openai.validate(body({ tools: [{ type, ...tool }], tool_choice: "auto" }))).toEqual([])
  })

  const items: Each<ResponseInputItem> = {
    message: {
      role: "user",
      content: [
        { type: "input_image", file_id: "file_1", detail: "auto" },
        { type: "input_file", file_url: "https://example.com/a.pdf" },
      ],
    },
    file_search_call: { id: "fs_1", queries: ["q"], status: "completed" },
    computer_call: { id: "cu_1", call_id: "c", pending_safety_checks: [], status: "completed" },
    computer_call_output: { call_id: "c", output: { type: "computer_screenshot", file_id: "file_1" } },
    web_search_call: { id: "ws_1", action: { type: "search", query: "q" }, status: "completed" },
    function_call: { call_id: "c", name: "read", arguments: "{}" },
    function_call_output: { call_id: "c", output: [{ type: "input_text", text: "x" }] },
    tool_search_call: { arguments: {}, call_id: "c", execution: "client" },
    tool_search_output: { tools: [], call_id: "c" },
    additional_tools: { role: "developer", tools: [] },
    reasoning: { id: "rs_1", summary: [], encrypted_content: "abc" },
    compaction: { encrypted_content: "abc" },
    image_generation_call: { id: "ig_1", result: "AA==", status: "completed" },
    code_interpreter_call: { id: "ci_1", code: "1", container_id: "c", outputs: [], status: "completed" },
    local_shell_call: {
      id: "ls_1",
      call_id: "c",
      action: { type: "exec", command: ["ls"], env: {} },
      status: "completed",
    },
    local_shell_call_output: { id: "ls_1", output: "x" },
    shell_call: { call_id: "c", action: { commands: ["ls"] } },
    shell_call_output: { call_id: "c", output: [] },
    apply_patch_call: { call_id: "c", operation: { type: "delete_file", path: "a" }, status: "completed" },
    apply_patch_call_output: { call_id: "c", status: "completed" },
    mcp_list_tools: { id: "mcpl_1", server_label: "example", tools: [] },
    mcp_approval_request: { id: "mcpr_1", arguments: "{}", name: "m", server_label: "example" },
    mcp_approval_response: { approval_request_id: "mcpr_1", approve: true },
    mcp_call: { id: "mcp_1", arguments: "{}", name: "m", server_label: "example" },
    custom_tool_call: { call_id: "c", name: "patch", input: "x" },
    custom_tool_call_output: { call_id: "c", output: "done" },
    compaction_trigger: {},
    item_reference: { id: "msg_1" },
    program: { id: "p_1", call_id: "c", code: "1", fingerprint: "f" },
    program_output: { id: "po_1", call_id: "c", result: "1", status: "completed" },
  }
  const FOLLOWED: Readonly<Record<string, object>> = { reasoning: { role: "assistant", content: "So." } }

  it.each(Object.entries(items))("takes the item %s", (type, rest) => {
    const item = { type, ...rest }
    const call = {
      type: type.replace(/_output$/, ""),
      ...items[type.replace(/_output$/, "") as keyof typeof items],
    }
    const answer = { type: `${type}_output`, ...items[`${type}_output` as keyof typeof items] }
    const input = [
      { role: "user", content: "Hello" },
      ...(type.endsWith("_call_output") ? [call] : []),
      item,
      ...(type.endsWith("_call") && `${type}_output` in items ? [answer] : []),
      ...(FOLLOWED[type] ? [FOLLOWED[type]] : []),
    ]
    expect(openai.validate(body({ input }))).toEqual([])
  })

  it("knows every field of a request", () => {
    const fields: Record<keyof ResponseCreateParams, unknown> = {
      model: "gpt-4.1",
      input: "Hello",
      background: false,
      context_management: null,
      conversation: null,
      include: ["message.output_text.logprobs"],
      instructions: null,
      max_output_tokens: 100,
      metadata: {},
      moderation: null,
      parallel_tool_calls: true,
      previous_response_id: null,
      prompt: null,
      prompt_cache_key: "k",
      prompt_cache_options: {},
      prompt_cache_retention: "24h",
      reasoning: null,
      safety_identifier: "s",
      service_tier: "auto",
      store: true,
      stream: false,
      stream_options: null,
      temperature: 0.5,
      text: { verbosity: "low" },
      tool_choice: "auto",
      tools: [],
      top_logprobs: 2,
      top_p: 0.9,
      truncation: "auto",
      user: "u",
    }
    // The reference has this one, the types of this version do not.
    expect(openai.validate({ ...fields, max_tool_calls: 3 })).toEqual([])
  })

  it("takes outputs for calls that only the server knows", () => {
    const input = [{ type: "function_call_output", call_id: "c", output: "x" }]
    expect(openai.validate(body({ input, previous_response_id: "resp_1" }))).toEqual([])
    expect(openai.validate(body({ input, conversation: "conv_1" }))).toEqual([])
    expect(errors(openai.validate(body({ input })))).toHaveLength(1)
  })

  it("notes what is newer than its types, and refuses nothing of it", () => {
    const problems = openai.validate(
      body({ tools: [{ type: "teleport" }], input: [{ type: "hologram" }, { role: "user", content: "Hi" }] }),
    )
    expect(problems.map(({ path, severity }) => [path, severity])).toEqual([
      ["tools.0.type", "note"],
      ["input.0.type", "note"],
    ])
  })
})

describe("OpenAI's Chat Completions", () => {
  const messages: { readonly [Role in ChatCompletionMessageParam["role"]]: readonly object[] } = {
    developer: [{ role: "developer", content: "Be brief." }],
    system: [{ role: "system", content: [{ type: "text", text: "Be brief." }], name: "s" }],
    user: [
      {
        role: "user",
        content: [
          { type: "text", text: "x" },
          { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
          { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
          { type: "file", file: { file_id: "file_1" } },
        ],
      },
    ],
    assistant: [
      { role: "assistant", content: null, function_call: { name: "read", arguments: "{}" } },
      { role: "assistant", refusal: "No." },
      { role: "assistant", audio: { id: "audio_1" } },
      { role: "assistant", tool_calls: [{ id: "c", type: "custom", custom: { name: "patch", input: "x" } }] },
      { role: "tool", tool_call_id: "c", content: "done" },
    ],
    tool: [
      {
        role: "assistant",
        tool_calls: [{ id: "c", type: "function", function: { name: "r", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "x" }] },
    ],
    function: [{ role: "function", name: "read", content: null }],
  }

  it.each(Object.entries(messages))("takes messages of the role %s", (_, list) => {
    expect(openaiChat.validate({ model: "gpt-5.6", messages: list })).toEqual([])
  })

  it("knows every field of a request", () => {
    const fields: Record<keyof ChatCompletionCreateParams, unknown> = {
      model: "gpt-4.1",
      messages: [{ role: "user", content: "Hello" }],
      audio: null,
      frequency_penalty: 0,
      function_call: "auto",
      functions: [{ name: "old" }],
      logit_bias: null,
      logprobs: true,
      max_completion_tokens: 100,
      max_tokens: null,
      metadata: null,
      modalities: ["text"],
      moderation: null,
      n: 1,
      parallel_tool_calls: true,
      prediction: null,
      presence_penalty: 0,
      prompt_cache_key: "k",
      prompt_cache_options: {},
      prompt_cache_retention: "24h",
      reasoning_effort: null,
      response_format: { type: "text" },
      safety_identifier: "s",
      seed: 1,
      service_tier: "auto",
      stop: null,
      store: false,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } },
      tools: [
        { type: "function", function: { name: "read" } },
        { type: "custom", custom: { name: "patch" } },
      ],
      top_logprobs: 2,
      top_p: 0.9,
      user: "u",
      verbosity: "low",
      web_search_options: {},
    }
    expect(openaiChat.validate(fields)).toEqual([])
  })

  it("only notes the parameters that compatible servers have of their own", () => {
    const body = (model: string) => ({
      model,
      messages: [{ role: "user", content: "Hello" }],
      chat_template_kwargs: { enable_thinking: false },
    })
    for (const model of ["qwen3-coder", "openai/gpt-5.6"])
      expect(openaiChat.validate(body(model))).toMatchObject([
        { severity: "note", path: "chat_template_kwargs" },
      ])
    expect(openaiChat.validate(body("gpt-5.6"))).toMatchObject([{ severity: "error" }])
  })
})

describe("Gemini's generateContent", () => {
  const go = { role: "user", parts: [{ text: "Hello" }] }
  const tools: Record<keyof Required<GeminiTool>, unknown> = {
    functionDeclarations: [{ name: "read", parametersJsonSchema: SCHEMA }],
    googleSearch: {},
    googleSearchRetrieval: {},
    codeExecution: {},
    urlContext: {},
    fileSearch: { fileSearchStoreNames: ["s"] },
    computerUse: { environment: "ENVIRONMENT_BROWSER" },
    googleMaps: {},
    enterpriseWebSearch: {},
    retrieval: {},
    mcpServers: [],
    exaAiSearch: {},
    parallelAiSearch: {},
  }

  it.each(Object.entries(tools))("takes the tool %s, in snake case too", (name, tool) => {
    expect(gemini.validate({ contents: [go], tools: [{ [name]: tool }] })).toEqual([])
    expect(gemini.validate({ contents: [go], tools: { [snake(name)]: tool } })).toEqual([])
  })

  const parts: Record<keyof Required<Part>, object> = {
    text: { text: "x" },
    inlineData: { inlineData: { mimeType: "image/png", data: "AA==" } },
    fileData: { fileData: { fileUri: "files/1", mimeType: "video/mp4" } },
    functionCall: { functionCall: { name: "read", args: {} }, thoughtSignature: "abc" },
    functionResponse: { functionResponse: { name: "read", response: {} } },
    executableCode: { executableCode: { code: "1", language: "PYTHON" } },
    codeExecutionResult: { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
    toolCall: { toolCall: {} },
    toolResponse: { toolResponse: {} },
    thought: { text: "Hm", thought: true },
    thoughtSignature: { text: "", thoughtSignature: "abc" },
    videoMetadata: { fileData: { fileUri: "files/1" }, videoMetadata: { fps: 1 } },
    mediaResolution: { text: "x", mediaResolution: {} },
    mediaProcessing: { text: "x", mediaProcessing: {} },
    partMetadata: { text: "x", partMetadata: { my_key: 1 } },
    speechMetadata: { text: "x", speechMetadata: {} },
    audioTranscription: { text: "x", audioTranscription: {} },
  }

  it.each(Object.entries(parts))("takes the part %s, in snake case too", (name, part) => {
    const call = { role: "model", parts: [parts.functionCall] }
    const answer = { role: "function", parts: [parts.functionResponse] }
    const contents = (one: object) =>
      name === "functionCall"
        ? [go, { role: "model", parts: [one] }, answer]
        : name === "functionResponse"
          ? [go, call, { role: "user", parts: [one] }]
          : [{ parts: [one] }]
    expect(gemini.validate({ contents: contents(part) })).toEqual([])
    const snakes = Object.fromEntries(Object.entries(part).map(([key, value]) => [snake(key), value]))
    expect(gemini.validate({ contents: contents(snakes) })).toEqual([])
  })

  it("knows every field of a request", () => {
    const generation: Record<keyof Required<GenerationConfig>, unknown> = {
      modelSelectionConfig: {},
      responseJsonSchema: SCHEMA,
      audioTranscriptionConfig: {},
      audioTimestamp: true,
      candidateCount: 1,
      enableAffectiveDialog: true,
      frequencyPenalty: 0,
      logprobs: 1,
      maxOutputTokens: 100,
      mediaResolution: "MEDIA_RESOLUTION_LOW",
      presencePenalty: 0,
      responseFormat: {},
      responseLogprobs: true,
      responseMimeType: "application/json",
      responseModalities: ["TEXT"],
      responseSchema: { type: "OBJECT" },
      routingConfig: {},
      seed: 1,
      speechConfig: {},
      stopSequences: ["END"],
      temperature: 0.5,
      thinkingConfig: { includeThoughts: true },
      topK: 1,
      topP: 0.9,
      enableEnhancedCivicAnswers: true,
      translationConfig: {},
    }
    const body = {
      contents: { parts: { text: "Hello" } },
      system_instruction: { parts: { text: "Be brief." } },
      tools: [{ function_declarations: [{ name: "read" }] }],
      tool_config: { function_calling_config: { mode: "ANY", allowed_function_names: ["read"] } },
      safety_settings: [],
      cached_content: "cachedContents/1",
      labels: { my_label: "x" },
      generation_config: generation,
    }
    expect(gemini.validate(body)).toEqual([])
  })
})

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
