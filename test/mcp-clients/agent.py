"""
The Python SDK's client: lists the tools over HTTP or over standard input and output, calls some, deploys a service and
waits for its end with progress, and prints what came as JSON. Arguments: the service, then `http URL TOKEN` or
`stdio PROGRAM ARGUMENT...`, which gets this process's environment.
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def use(session: ClientSession, app: str) -> None:
    steps: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    await session.initialize()
    tools = await session.list_tools()
    answers = {
        "me": await session.call_tool("whoami", {}),
        "missing": await session.call_tool("app_status", {"app": "no-such-app"}),
        "deployed": await session.call_tool(
            "deploy_app", {"app": app, "wait": True, "timeout_seconds": 100}, progress_callback=on_progress
        ),
    }
    printed = {name: answer.model_dump(by_alias=True, mode="json") for name, answer in answers.items()}
    print(json.dumps({"tools": len(tools.tools), "steps": len(steps), **printed}))


async def over_http(app: str, url: str, token: str) -> None:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=120) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await use(session, app)


async def over_stdio(app: str, program: str, *args: str) -> None:
    server = StdioServerParameters(command=program, args=list(args), env=dict(os.environ))
    async with stdio_client(server) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await use(session, app)


transports = {"http": over_http, "stdio": over_stdio}
app, transport, *rest = sys.argv[1:]
asyncio.run(transports[transport](app, *rest))
