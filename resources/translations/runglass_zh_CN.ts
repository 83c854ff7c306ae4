<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Compare</name>
    <message>
        <source>%1  (only A)</source>
        <translation>%1（仅 A）</translation>
    </message>
    <message>
        <source>%1  (only B)</source>
        <translation>%1（仅 B）</translation>
    </message>
    <message>
        <source>%1 / attempt %2</source>
        <translation>%1 / attempt %2</translation>
    </message>
    <message>
        <source>%1 wait</source>
        <translation>%1等待</translation>
    </message>
    <message>
        <source>A and B are the same attempt. Choose another one, or a step to compare it before and after.</source>
        <translation>A 与 B 是同一 attempt。请选择另一个，或选择一个步以比较其前后。</translation>
    </message>
    <message>
        <source>B over A, minus 1.</source>
        <translation>B 除以 A 再减 1。</translation>
    </message>
    <message>
        <source>Mean of its ranks per step, without measured waiting.</source>
        <translation>其各 rank 每步的均值，不含已测得的等待。</translation>
    </message>
    <message>
        <source>Only A: it left; only B: it is new.</source>
        <translation>仅 A：已离开；仅 B：新增。</translation>
    </message>
    <message>
        <source>Options of the command line, the framework&apos;s arguments, versions and variables; secrets are not shown.</source>
        <translation>命令行选项、框架参数、版本与环境变量；密钥不显示。</translation>
    </message>
    <message>
        <source>The run has no attempt yet.</source>
        <translation>该 run 尚无 attempt。</translation>
    </message>
    <message>
        <source>This store has one attempt only. Choose a step to compare it before and after, or import another run.</source>
        <translation>此 store 只有一个 attempt。请选择一个步以比较其前后，或导入另一 run。</translation>
    </message>
    <message>
        <source>change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>own work A</source>
        <translation>自身工作 A</translation>
    </message>
    <message>
        <source>own work B</source>
        <translation>自身工作 B</translation>
    </message>
    <message>
        <source>what differs</source>
        <translation>差异项</translation>
    </message>
    <message>
        <source>– : not said</source>
        <translation>–：未记录</translation>
    </message>
</context>
<context>
    <name>Counts</name>
    <message>
        <source>%1 event</source>
        <translation>%1 个事件</translation>
    </message>
    <message>
        <source>%1 events</source>
        <translation>%1 个事件</translation>
    </message>
    <message>
        <source>%1 kind</source>
        <translation>%1 种</translation>
    </message>
    <message>
        <source>%1 kinds</source>
        <translation>%1 种</translation>
    </message>
    <message>
        <source>%1 line</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>%1 other line or event</source>
        <translation>另外 %1 行或事件</translation>
    </message>
    <message>
        <source>%1 other lines and events</source>
        <translation>另外 %1 行和事件</translation>
    </message>
    <message>
        <source>%1 point</source>
        <translation>%1 个点</translation>
    </message>
    <message>
        <source>%1 points</source>
        <translation>%1 个点</translation>
    </message>
    <message>
        <source>%1 rank</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>%1 reading</source>
        <translation>%1 个读数</translation>
    </message>
    <message>
        <source>%1 readings</source>
        <translation>%1 个读数</translation>
    </message>
    <message>
        <source>%1 series</source>
        <translation>%1 条序列</translation>
    </message>
    <message>
        <source>%1 span</source>
        <translation>%1 个 span</translation>
    </message>
    <message>
        <source>%1 spans</source>
        <translation>%1 个 span</translation>
    </message>
    <message>
        <source>%1 step</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1 thing</source>
        <translation>%1 件事</translation>
    </message>
    <message>
        <source>%1 things</source>
        <translation>%1 件事</translation>
    </message>
</context>
<context>
    <name>Curves</name>
    <message>
        <source>Definition of the rule, with its window and warm-up.</source>
        <translation>规则的文字描述，含其窗口与预热。</translation>
    </message>
    <message>
        <source>Hits over judged points (the OLMo spike score is this number).</source>
        <translation>命中数除以判定点数（即 OLMo spike score）。</translation>
    </message>
    <message>
        <source>No curve of this tag is ticked.</source>
        <translation>此标签没有勾选曲线。</translation>
    </message>
    <message>
        <source>No point in this window.</source>
        <translation>此窗口内没有点。</translation>
    </message>
    <message>
        <source>Points after the rule&apos;s warm-up; 0: the curve is too short for it.</source>
        <translation>规则预热之后的点数；0：曲线太短，规则不适用。</translation>
    </message>
    <message>
        <source>Points at which the rule strikes.</source>
        <translation>规则命中的点数。</translation>
    </message>
    <message>
        <source>Runglass</source>
        <translation>Runglass</translation>
    </message>
    <message>
        <source>Source of the rule; hover over a row for its text.</source>
        <translation>规则的来源；悬停在行上可看其内容。</translation>
    </message>
    <message>
        <source>Step of the first one.</source>
        <translation>首次命中的步。</translation>
    </message>
    <message>
        <source>The source recorded no times: choose the axis &quot;step&quot;.</source>
        <translation>数据源未记录时间：请选择“步”作横轴。</translation>
    </message>
    <message>
        <source>This metric has times and no steps: choose the axis &quot;time&quot;.</source>
        <translation>此指标只有时间没有步：请选择“时间”作横轴。</translation>
    </message>
    <message>
        <source>Which of the card&apos;s losses.</source>
        <translation>卡片中的哪条 loss。</translation>
    </message>
    <message>
        <source>attempt %1</source>
        <translation>attempt %1</translation>
    </message>
    <message>
        <source>curve</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>first hit</source>
        <translation>首次命中</translation>
    </message>
    <message>
        <source>hits</source>
        <translation>命中</translation>
    </message>
    <message>
        <source>judged</source>
        <translation>判定点</translation>
    </message>
    <message>
        <source>log loss more than 8 robust sigma and 5 % above its local level; NaN and Inf</source>
        <translation>log loss 高于局部水平 8 个稳健 sigma 且 5 %；NaN 与 Inf</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>score</source>
        <translation>分数</translation>
    </message>
    <message>
        <source>what it says</source>
        <translation>内容</translation>
    </message>
</context>
<context>
    <name>DataQuality</name>
    <message>
        <source>%1 times</source>
        <translation>%1 次</translation>
    </message>
    <message>
        <source>Data was lost %1 and arrived odd %2.</source>
        <translation>数据丢失 %1，异常到达 %2。</translation>
    </message>
    <message>
        <source>Data was lost %1.</source>
        <translation>数据丢失 %1。</translation>
    </message>
    <message>
        <source>How often, since the store was made.</source>
        <translation>自 store 建立以来的次数。</translation>
    </message>
    <message>
        <source>Nothing was lost and nothing odd arrived.</source>
        <translation>无数据丢失，也无异常到达。</translation>
    </message>
    <message>
        <source>Nothing was lost and nothing odd arrived; %1 notes to know.</source>
        <translation>无数据丢失，也无异常到达；有 %1 条提示。</translation>
    </message>
    <message>
        <source>Nothing was lost and nothing odd arrived; a note to know.</source>
        <translation>无数据丢失，也无异常到达；有 1 条提示。</translation>
    </message>
    <message>
        <source>Nothing was lost. Data arrived odd %1.</source>
        <translation>无数据丢失。异常到达 %1。</translation>
    </message>
    <message>
        <source>The file, agent or series that it came from.</source>
        <translation>来自哪个文件、agent 或 series。</translation>
    </message>
    <message>
        <source>The name in the issue catalogue.</source>
        <translation>问题目录中的名称。</translation>
    </message>
    <message>
        <source>The newest case: what, where, why.</source>
        <translation>最新一例：什么、何处、为何。</translation>
    </message>
    <message>
        <source>When it was first seen; – where the source has no clock.</source>
        <translation>首次出现的时间；– 表示来源没有时钟。</translation>
    </message>
    <message>
        <source>When it was last seen.</source>
        <translation>最近一次出现的时间。</translation>
    </message>
    <message>
        <source>a sample takes</source>
        <translation>每个样本占用</translation>
    </message>
    <message>
        <source>a span takes</source>
        <translation>每个 span 占用</translation>
    </message>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>detail</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>first</source>
        <translation>首次</translation>
    </message>
    <message>
        <source>first data</source>
        <translation>最早数据</translation>
    </message>
    <message>
        <source>journal</source>
        <translation>journal</translation>
    </message>
    <message>
        <source>last</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>last data</source>
        <translation>最新数据</translation>
    </message>
    <message>
        <source>log lines</source>
        <translation>日志行</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>丢失</translation>
    </message>
    <message>
        <source>lost: data is gone. odd: kept, but not as it should be. note: for information.</source>
        <translation>丢失：数据已不在。异常：已保留，但不合规。提示：仅供参考。</translation>
    </message>
    <message>
        <source>note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>odd</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>once</source>
        <translation>1 次</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>schema</source>
        <translation>schema</translation>
    </message>
    <message>
        <source>series</source>
        <translation>series</translation>
    </message>
    <message>
        <source>severity</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>spans</source>
        <translation>span</translation>
    </message>
    <message>
        <source>store</source>
        <translation>store</translation>
    </message>
</context>
<context>
    <name>Devices</name>
    <message>
        <source>%1 %2 free</source>
        <translation>%1 %2 可用</translation>
    </message>
    <message>
        <source>%1 / limit</source>
        <translation>%1 / 上限</translation>
    </message>
    <message>
        <source>%1 GPU</source>
        <translation>%1 个 GPU</translation>
    </message>
    <message>
        <source>%1 GPUs</source>
        <translation>%1 个 GPU</translation>
    </message>
    <message>
        <source>%1 Limit: %2</source>
        <translation>%1 上限：%2</translation>
    </message>
    <message>
        <source>%1 above its peers</source>
        <translation>比同类高 %1</translation>
    </message>
    <message>
        <source>%1 are more than %2 above their peers in %3; no single one is an outlier.</source>
        <translation>%1 个的 %3 比同类高 %2 以上；没有单个离群。</translation>
    </message>
    <message>
        <source>%1 are more than %2 below their peers in %3; no single one is an outlier.</source>
        <translation>%1 个的 %3 比同类低 %2 以上；没有单个离群。</translation>
    </message>
    <message>
        <source>%1 below its peers</source>
        <translation>比同类低 %1</translation>
    </message>
    <message>
        <source>%1 host</source>
        <translation>%1 台主机</translation>
    </message>
    <message>
        <source>%1 hosts</source>
        <translation>%1 台主机</translation>
    </message>
    <message>
        <source>%1 lost</source>
        <translation>%1 个失联</translation>
    </message>
    <message>
        <source>%1 of %2.</source>
        <translation>%2 中：%1。</translation>
    </message>
    <message>
        <source>%1 slowed by heat or hardware</source>
        <translation>%1 个因过热或硬件降速</translation>
    </message>
    <message>
        <source>%1 stale</source>
        <translation>%1 个过时</translation>
    </message>
    <message>
        <source>%1 with a row remap pending</source>
        <translation>%1 个待行重映射</translation>
    </message>
    <message>
        <source>%1 with an Xid</source>
        <translation>%1 个有 Xid</translation>
    </message>
    <message>
        <source>%1 with an open finding</source>
        <translation>%1 个有未结结论</translation>
    </message>
    <message>
        <source>%1 · rank %2</source>
        <translation>%1 · rank %2</translation>
    </message>
    <message>
        <source>%1 · ranks %2–%3</source>
        <translation>%1 · rank %2–%3</translation>
    </message>
    <message>
        <source>%1, all reporting.</source>
        <translation>%1，全部在上报。</translation>
    </message>
    <message>
        <source>%1, full in %2</source>
        <translation>%1，%2 后写满</translation>
    </message>
    <message>
        <source>%1: %2 %3.</source>
        <translation>%1：%2 %3。</translation>
    </message>
    <message>
        <source>%1: %2 on %3, %4 on %5</source>
        <translation>%1：%3 上为 %2，%5 个为 %4</translation>
    </message>
    <message>
        <source>Age of its newest sample of any metric.</source>
        <translation>任一指标最新样本距今的时间。</translation>
    </message>
    <message>
        <source>As of %1.</source>
        <translation>截至 %1。</translation>
    </message>
    <message>
        <source>CPU pressure</source>
        <translation>CPU 压力</translation>
    </message>
    <message>
        <source>Deviation from the median of the other GPUs of the same job and pipeline stage.</source>
        <translation>与同一作业、同一流水线 stage 其他 GPU 中位数的偏差。</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>GPU or host</source>
        <translation>GPU 或主机</translation>
    </message>
    <message>
        <source>HW slowdown</source>
        <translation>硬件降频</translation>
    </message>
    <message>
        <source>HW thermal</source>
        <translation>硬件过热</translation>
    </message>
    <message>
        <source>NIC transmit</source>
        <translation>NIC 发送</translation>
    </message>
    <message>
        <source>No GPU or host reports this metric.</source>
        <translation>没有 GPU 或主机上报此指标。</translation>
    </message>
    <message>
        <source>Of the chosen metric.</source>
        <translation>所选指标的值。</translation>
    </message>
    <message>
        <source>Of the rank&apos;s process on the host.</source>
        <translation>该 rank 在主机上的进程。</translation>
    </message>
    <message>
        <source>Of the run&apos;s newest attempt.</source>
        <translation>属于该 run 的最新 attempt。</translation>
    </message>
    <message>
        <source>SM active</source>
        <translation>SM 活跃</translation>
    </message>
    <message>
        <source>SM clock</source>
        <translation>SM 频率</translation>
    </message>
    <message>
        <source>SW thermal</source>
        <translation>软件温控</translation>
    </message>
    <message>
        <source>against peers</source>
        <translation>与同类相比</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>等另外 %1 个</translation>
    </message>
    <message>
        <source>and %1 more: see the events</source>
        <translation>另有 %1 条：见事件</translation>
    </message>
    <message>
        <source>any error is full colour</source>
        <translation>有任何错误即为全色</translation>
    </message>
    <message>
        <source>errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>finding</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>hatched: stale or no data</source>
        <translation>斜线：过时或无数据</translation>
    </message>
    <message>
        <source>host CPU</source>
        <translation>主机 CPU</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>last report</source>
        <translation>最近上报</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>marks</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>mean of %1, against its peers</source>
        <translation>%1 均值，与同类相比</translation>
    </message>
    <message>
        <source>median %1</source>
        <translation>中位数 %1</translation>
    </message>
    <message>
        <source>memory free</source>
        <translation>可用内存</translation>
    </message>
    <message>
        <source>min–max</source>
        <translation>最小–最大</translation>
    </message>
    <message>
        <source>neutral up to %1, full colour from %2</source>
        <translation>%1 以内为中性，%2 起为全色</translation>
    </message>
    <message>
        <source>neutral within ±%1, full colour from ±%2</source>
        <translation>±%1 以内为中性，±%2 起为全色</translation>
    </message>
    <message>
        <source>never reported</source>
        <translation>从未上报</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>outlined: open finding</source>
        <translation>外框：未结结论</translation>
    </message>
    <message>
        <source>own work</source>
        <translation>自身工作</translation>
    </message>
    <message>
        <source>own work without waiting, median of the newest %1 steps, against its peers</source>
        <translation>自身工作（不含等待），最新 %1 步的中位数，与同类相比</translation>
    </message>
    <message>
        <source>power brake</source>
        <translation>power brake</translation>
    </message>
    <message>
        <source>power cap</source>
        <translation>功率上限</translation>
    </message>
    <message>
        <source>power ÷ limit</source>
        <translation>功率 ÷ 上限</translation>
    </message>
    <message>
        <source>power-capped</source>
        <translation>达功率上限</translation>
    </message>
    <message>
        <source>rank (dp,pp,tp)</source>
        <translation>rank (dp,pp,tp)</translation>
    </message>
    <message>
        <source>rank step time</source>
        <translation>rank 步耗时</translation>
    </message>
    <message>
        <source>reporting</source>
        <translation>上报中</translation>
    </message>
    <message>
        <source>stale</source>
        <translation>过时</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>step time</source>
        <translation>步耗时</translation>
    </message>
    <message>
        <source>step time (no step parts are recorded), median of the newest %1 steps, against its peers</source>
        <translation>步耗时（未记录步内各部分），最新 %1 步的中位数，与同类相比</translation>
    </message>
    <message>
        <source>temperature ÷ limit</source>
        <translation>温度 ÷ 上限</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>without this metric</source>
        <translation>无此指标</translation>
    </message>
    <message>
        <source>×: lost</source>
        <translation>×：失联</translation>
    </message>
    <message>
        <source>■ Xid, last hour</source>
        <translation>■ 近 1 小时有 Xid</translation>
    </message>
    <message>
        <source>□ open finding</source>
        <translation>□ 未结结论</translation>
    </message>
    <message>
        <source>▭ MIG on</source>
        <translation>▭ MIG 已开启</translation>
    </message>
    <message>
        <source>◆ NVLink errors</source>
        <translation>◆ NVLink 错误</translation>
    </message>
    <message>
        <source>● remap pending</source>
        <translation>● 待重映射</translation>
    </message>
    <message>
        <source>◣ slowed down</source>
        <translation>◣ 已降速</translation>
    </message>
</context>
<context>
    <name>EditText</name>
    <message>
        <source>The store is being opened.</source>
        <translation>正在打开 store。</translation>
    </message>
    <message>
        <source>This store is read-only.</source>
        <translation>此 store 为只读。</translation>
    </message>
</context>
<context>
    <name>Events</name>
    <message>
        <source>Every rank of this node: their heartbeats and last log lines; whether other nodes of the rack say the same.</source>
        <translation>该节点的所有 rank：心跳与最后的日志行；同机架的其他节点是否也有同样现象。</translation>
    </message>
    <message>
        <source>GPU and host</source>
        <translation>GPU 与主机</translation>
    </message>
    <message>
        <source>It follows from another fault: look on this node for one a moment earlier that is not of this kind.</source>
        <translation>它由另一故障引起：请在该节点上查看稍早的其他类型故障。</translation>
    </message>
    <message>
        <source>Other nodes that have this file system mounted, checkpoints and data loading at this time.</source>
        <translation>挂载此文件系统的其他节点，以及此时的 checkpoint 与数据加载。</translation>
    </message>
    <message>
        <source>Runglass fault catalogue</source>
        <translation>Runglass 故障目录</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>来源：%1</translation>
    </message>
    <message>
        <source>The other end of the link, its error counters, and ranks whose collectives go over it.</source>
        <translation>链路对端及其错误计数，以及集合通信经过该链路的 rank。</translation>
    </message>
    <message>
        <source>The rank&apos;s own log lines before it, and whether it comes back on this GPU or goes along with the job.</source>
        <translation>该 rank 此前自己的日志行，以及问题是在此 GPU 上复现还是跟随作业。</translation>
    </message>
    <message>
        <source>This GPU&apos;s ECC and row-remap counters, its temperature and clocks; whether the node has had it before.</source>
        <translation>此 GPU 的 ECC 与行重映射计数、温度与频率；该节点以前是否出现过。</translation>
    </message>
    <message>
        <source>attempt %1</source>
        <translation>attempt %1</translation>
    </message>
    <message>
        <source>error, critical</source>
        <translation>错误、严重</translation>
    </message>
    <message>
        <source>event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>finding</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>info</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>lines of the same stream around it</source>
        <translation>同一日志流的前后行</translation>
    </message>
    <message>
        <source>log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>log %1</source>
        <translation>日志 %1</translation>
    </message>
    <message>
        <source>log lines of 30 s around it</source>
        <translation>前后 30 s 的日志行</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>text</source>
        <translation>原文</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>what else to check</source>
        <translation>还应检查</translation>
    </message>
    <message>
        <source>what it means</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>what to do</source>
        <translation>处理办法</translation>
    </message>
    <message>
        <source>without a time</source>
        <translation>无时间</translation>
    </message>
</context>
<context>
    <name>EvidenceKind</name>
    <message>
        <source>A metric or scalar</source>
        <translation>指标或标量</translation>
    </message>
    <message>
        <source>Clock, power, temperature, errors</source>
        <translation>频率、功率、温度、错误</translation>
    </message>
    <message>
        <source>Log lines and hardware events</source>
        <translation>日志行与硬件事件</translation>
    </message>
    <message>
        <source>Loss and gradient norm</source>
        <translation>Loss 与梯度范数</translation>
    </message>
    <message>
        <source>Step times of all ranks</source>
        <translation>所有 rank 的步耗时</translation>
    </message>
    <message>
        <source>Timeline of ranks</source>
        <translation>rank 时间轴</translation>
    </message>
</context>
<context>
    <name>FileRow</name>
    <message>
        <source>Choose …</source>
        <translation>选择 …</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <translation>选择：%1</translation>
    </message>
</context>
<context>
    <name>FindingFace</name>
    <message>
        <source>%1 of %2 ranks blocked</source>
        <translation>%2 个 rank 中 %1 个阻塞</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2, before %3</source>
        <translation>%1：%2，此前 %3</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>cost: %1 GPU-hours</source>
        <translation>代价：%1 GPU 小时</translation>
    </message>
    <message>
        <source>cost: %1 GPU-hours a day</source>
        <translation>代价：每天 %1 GPU 小时</translation>
    </message>
    <message>
        <source>cost: %1 GPU-hours so far</source>
        <translation>代价：目前为止 %1 GPU 小时</translation>
    </message>
    <message>
        <source>cost: %1 of each step</source>
        <translation>代价：每步的 %1</translation>
    </message>
    <message>
        <source>cost: %1 of each step, %2 GPU-hours a day</source>
        <translation>代价：每步的 %1，每天 %2 GPU 小时</translation>
    </message>
    <message>
        <source>cost: not estimated</source>
        <translation>代价：未估计</translation>
    </message>
    <message>
        <source>culprit unknown</source>
        <translation>根源未知</translation>
    </message>
    <message>
        <source>culprit: rank %1 on %2</source>
        <translation>根源：%2 上的 rank %1</translation>
    </message>
    <message>
        <source>culprits: ranks %1</source>
        <translation>根源：rank %1</translation>
    </message>
    <message>
        <source>no clock</source>
        <translation>无时钟</translation>
    </message>
    <message>
        <source>own work per step, rank %1</source>
        <translation>每步自身工作，rank %1</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>自 %1 起</translation>
    </message>
    <message>
        <source>since %1, for %2</source>
        <translation>自 %1 起，持续 %2</translation>
    </message>
    <message>
        <source>since %1, open for %2</source>
        <translation>自 %1 起，已持续 %2</translation>
    </message>
    <message>
        <source>since step %1</source>
        <translation>自第 %1 步起</translation>
    </message>
    <message>
        <source>step time</source>
        <translation>步耗时</translation>
    </message>
    <message>
        <source>step time, rank %1</source>
        <translation>步耗时，rank %1</translation>
    </message>
    <message>
        <source>the watchdog has aborted</source>
        <translation>watchdog 已中止作业</translation>
    </message>
    <message>
        <source>the watchdog is overdue</source>
        <translation>watchdog 已超时</translation>
    </message>
    <message>
        <source>watchdog aborts in %1</source>
        <translation>watchdog 将在 %1 后中止作业</translation>
    </message>
</context>
<context>
    <name>FindingSpans</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>另有 %n 条</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Goodput</name>
    <message>
        <source>%1 %2 without a word on their cause are not counted.</source>
        <translation>%1 另有 %2 次未说明原因，不计入。</translation>
    </message>
    <message>
        <source>%1 24 h: time in steps done for the first time.</source>
        <translation>%1 24 h：首次完成的步所用时间。</translation>
    </message>
    <message>
        <source>%1 Arithmetic at the measured MFU, without pauses: %2.</source>
        <translation>%1 按实测 MFU 计算、不含停顿：%2。</translation>
    </message>
    <message>
        <source>%1 At another cluster&apos;s failure rate (%2): every %3.</source>
        <translation>%1 按另一集群的故障率（%2）：每 %3 一次。</translation>
    </message>
    <message>
        <source>%1 At the pace so far, pauses included; 80 % prediction interval: %2 to %3.</source>
        <translation>%1 按目前的速度（含停顿）；80 % 预测区间：%2 至 %3。</translation>
    </message>
    <message>
        <source>%1 No forecast: %2.</source>
        <translation>%1 无法预测：%2。</translation>
    </message>
    <message>
        <source>%1 of %2 made progress; %3</source>
        <translation>%2 中 %1 取得进展；%3</translation>
    </message>
    <message>
        <source>%1 restart</source>
        <translation>%1 次重启</translation>
    </message>
    <message>
        <source>%1 restarts</source>
        <translation>%1 次重启</translation>
    </message>
    <message>
        <source>%1 steps of the attempt before were lost</source>
        <translation>丢失前一 attempt 的 %1 步</translation>
    </message>
    <message>
        <source>%1 · %2 steps lost</source>
        <translation>%1 · 丢失 %2 步</translation>
    </message>
    <message>
        <source>%1, %2 steps were done twice</source>
        <translation>%1，%2 步重做</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1; %2 cost most, %3</source>
        <translation>%1；代价最大的是%2，%3</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>Goodput</translation>
    </message>
    <message>
        <source>Goodput of 24 h</source>
        <translation>24 h goodput</translation>
    </message>
    <message>
        <source>How often to save: insufficient evidence, %1, now every %2.</source>
        <translation>保存间隔：证据不足，%1，目前每 %2 一次。</translation>
    </message>
    <message>
        <source>How often to save: insufficient evidence, %1.</source>
        <translation>保存间隔：证据不足，%1。</translation>
    </message>
    <message>
        <source>Kept steps × iteration time ÷ wall time: %1.</source>
        <translation>保留的步 × 迭代时间 ÷ 墙钟时间：%1。</translation>
    </message>
    <message>
        <source>Mean time between failures %1 (%2 failure; 95 %: %3 to %4).</source>
        <translation>平均故障间隔 %1（%2 次故障；95 %：%3 至 %4）。</translation>
    </message>
    <message>
        <source>Mean time between failures %1 (%2 failures; 95 %: %3 to %4).</source>
        <translation>平均故障间隔 %1（%2 次故障；95 %：%3 至 %4）。</translation>
    </message>
    <message>
        <source>No failure in %1.</source>
        <translation>%1 内无故障。</translation>
    </message>
    <message>
        <source>No goodput: %1.</source>
        <translation>无 goodput：%1。</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Planned versus actual: %1.</source>
        <translation>计划与实际对比：%1。</translation>
    </message>
    <message>
        <source>Planned: %1 steps (%2).</source>
        <translation>计划：%1 步（%2）。</translation>
    </message>
    <message>
        <source>Save every %1 (Daly 2006), now every %2; a save costs %3.</source>
        <translation>每 %1 保存一次（Daly 2006），目前每 %2 一次；保存一次耗时 %3。</translation>
    </message>
    <message>
        <source>Save every %1 (Daly 2006); a save costs %2.</source>
        <translation>每 %1 保存一次（Daly 2006）；保存一次耗时 %2。</translation>
    </message>
    <message>
        <source>Whole run: %1 kept steps × their median steady time ÷ %2 of wall time = %3 (MegaScale, NSDI &apos;24).</source>
        <translation>全程：%1 个保留的步 × 其稳态耗时中位数 ÷ 墙钟时间 %2 = %3（MegaScale，NSDI &apos;24）。</translation>
    </message>
    <message>
        <source>another layout: %1</source>
        <translation>并行布局改变：%1</translation>
    </message>
    <message>
        <source>attempt %1: %2</source>
        <translation>attempt %1：%2</translation>
    </message>
    <message>
        <source>end: %1</source>
        <translation>结束：%1</translation>
    </message>
    <message>
        <source>ends %1</source>
        <translation>%1 结束</translation>
    </message>
    <message>
        <source>no restart</source>
        <translation>无重启</translation>
    </message>
    <message>
        <source>of %1 steps</source>
        <translation>共 %1 步</translation>
    </message>
    <message>
        <source>of %1 steps · done</source>
        <translation>共 %1 步 · 已完成</translation>
    </message>
    <message>
        <source>run %1 · %2</source>
        <translation>run %1 · %2</translation>
    </message>
    <message>
        <source>steps %1–%2</source>
        <translation>第 %1–%2 步</translation>
    </message>
    <message>
        <source>steps without times</source>
        <translation>步没有时间</translation>
    </message>
    <message>
        <source>total steps not recorded</source>
        <translation>未记录总步数</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>would end %1</source>
        <translation>原定 %1 结束</translation>
    </message>
</context>
<context>
    <name>Incidents</name>
    <message>
        <source>%1  %2, attempt %3</source>
        <translation>%1  %2，attempt %3</translation>
    </message>
    <message>
        <source>%1  ·  %2 of %3 in Llama 3</source>
        <translation>%1  ·  Llama 3 中 %3 次之 %2</translation>
    </message>
    <message>
        <source>%1 blocked</source>
        <translation>%1 阻塞</translation>
    </message>
    <message>
        <source>%1 confidence</source>
        <translation>置信度 %1</translation>
    </message>
    <message>
        <source>%1 explained</source>
        <translation>解释 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1，位于 %2</translation>
    </message>
    <message>
        <source>%1 relative</source>
        <translation>相对 %1</translation>
    </message>
    <message>
        <source>%1 slower</source>
        <translation>慢 %1</translation>
    </message>
    <message>
        <source>%1 times</source>
        <translation>%1 次</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1 wait vote</source>
        <translation>等待投票 %1</translation>
    </message>
    <message>
        <source>%1 what if</source>
        <translation>what-if %1</translation>
    </message>
    <message>
        <source>%1 · %2 finding</source>
        <translation>%1 · %2 条结论</translation>
    </message>
    <message>
        <source>%1 · %2 findings</source>
        <translation>%1 · %2 条结论</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <translation>%1，第 %2 步</translation>
    </message>
    <message>
        <source>%1; %2 nodes were never compared</source>
        <translation>%1；%2 个节点从未比对过时钟</translation>
    </message>
    <message>
        <source>Accept the chosen proposal</source>
        <translation>接受所选提议</translation>
    </message>
    <message>
        <source>Accept the suggested root cause</source>
        <translation>接受建议的根因</translation>
    </message>
    <message>
        <source>Add a note to the run log</source>
        <translation>向 run 日志添加备注</translation>
    </message>
    <message>
        <source>Alerts, captures, notes, and publication of findings.</source>
        <translation>告警、capture、备注，以及结论的发布。</translation>
    </message>
    <message>
        <source>Change its sentence</source>
        <translation>修改概述</translation>
    </message>
    <message>
        <source>Change its title</source>
        <translation>修改标题</translation>
    </message>
    <message>
        <source>Dismiss it: not a problem because …</source>
        <translation>驳回：不是问题，因为 …</translation>
    </message>
    <message>
        <source>Edit its notes</source>
        <translation>编辑备注</translation>
    </message>
    <message>
        <source>Event, or text of a note.</source>
        <translation>事件，或备注的文字。</translation>
    </message>
    <message>
        <source>Events, ends and starts of attempts, checkpoints, findings where they began.</source>
        <translation>事件、attempt 的开始与结束、checkpoint、结论的起点。</translation>
    </message>
    <message>
        <source>Export it as .rgl …</source>
        <translation>导出为 .rgl …</translation>
    </message>
    <message>
        <source>Export its report …</source>
        <translation>导出报告 …</translation>
    </message>
    <message>
        <source>From its first sign to its end.</source>
        <translation>从首个迹象到结束。</translation>
    </message>
    <message>
        <source>GPU-hours</source>
        <translation>GPU 小时</translation>
    </message>
    <message>
        <source>GPU-hours times %1, your price of one.</source>
        <translation>GPU 小时乘以你的单价 %1。</translation>
    </message>
    <message>
        <source>Merge the selected incidents into one</source>
        <translation>将所选并入一个事故</translation>
    </message>
    <message>
        <source>Minutes since its first sign.</source>
        <translation>距首个迹象的分钟数。</translation>
    </message>
    <message>
        <source>Not a problem: %1</source>
        <translation>不是问题：%1</translation>
    </message>
    <message>
        <source>Price per GPU-hour …</source>
        <translation>每 GPU 小时价格 …</translation>
    </message>
    <message>
        <source>Show the run log</source>
        <translation>显示 run 日志</translation>
    </message>
    <message>
        <source>Some of it is counted in “%1” too.</source>
        <translation>部分也计入“%1”。</translation>
    </message>
    <message>
        <source>State: mitigated</source>
        <translation>状态：已缓解</translation>
    </message>
    <message>
        <source>State: open</source>
        <translation>状态：未结</translation>
    </message>
    <message>
        <source>State: resolved</source>
        <translation>状态：已解决</translation>
    </message>
    <message>
        <source>Steps that were done and had to be done again after a restart.</source>
        <translation>重启后不得不重做的步。</translation>
    </message>
    <message>
        <source>The step that was made then.</source>
        <translation>当时所在的步。</translation>
    </message>
    <message>
        <source>Training time lost times the ranks of the attempt.</source>
        <translation>损失的训练时间乘以该 attempt 的 rank 数。</translation>
    </message>
    <message>
        <source>Undo the last change</source>
        <translation>撤销上次修改</translation>
    </message>
    <message>
        <source>Wall time without progress, and the share of the time that slower steps took longer; where several overlap, the largest alone.</source>
        <translation>没有进展的墙钟时间，以及步变慢多花的时间；多项重叠时只计最大者。</translation>
    </message>
    <message>
        <source>What kind of entry it is.</source>
        <translation>条目类型。</translation>
    </message>
    <message>
        <source>When; of several the first.</source>
        <translation>时间；多个时取最早。</translation>
    </message>
    <message>
        <source>When; – where the source has no clock.</source>
        <translation>时间；– 表示来源没有时钟。</translation>
    </message>
    <message>
        <source>[picture %1]</source>
        <translation>[图片 %1]</translation>
    </message>
    <message>
        <source>against the attempt before</source>
        <translation>与前一 attempt 对比</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 项</translation>
    </message>
    <message>
        <source>and %1 others</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>attempt %1 against attempt %2</source>
        <translation>attempt %1 对比 attempt %2</translation>
    </message>
    <message>
        <source>belongs to “%1”</source>
        <translation>属于“%1”</translation>
    </message>
    <message>
        <source>data quality</source>
        <translation>数据质量</translation>
    </message>
    <message>
        <source>data was lost: %1</source>
        <translation>数据丢失：%1</translation>
    </message>
    <message>
        <source>entry</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>it has %1 findings in place of %2</source>
        <translation>现有 %1 条结论，原为 %2</translation>
    </message>
    <message>
        <source>it was saved again</source>
        <translation>已再次保存</translation>
    </message>
    <message>
        <source>its cards were changed</source>
        <translation>证据卡已更改</translation>
    </message>
    <message>
        <source>its notes were changed</source>
        <translation>备注已更改</translation>
    </message>
    <message>
        <source>its root cause is now %1</source>
        <translation>根因现为 %1</translation>
    </message>
    <message>
        <source>its sentence is now “%1”</source>
        <translation>概述现为“%1”</translation>
    </message>
    <message>
        <source>its state is now %1</source>
        <translation>状态现为 %1</translation>
    </message>
    <message>
        <source>its time was changed</source>
        <translation>时间已更改</translation>
    </message>
    <message>
        <source>its title is now “%1”</source>
        <translation>标题现为“%1”</translation>
    </message>
    <message>
        <source>largest clock error: %1</source>
        <translation>最大时钟误差：%1</translation>
    </message>
    <message>
        <source>lasted</source>
        <translation>持续</translation>
    </message>
    <message>
        <source>lasts, so far</source>
        <translation>至今持续</translation>
    </message>
    <message>
        <source>least coverage of a finding: %1</source>
        <translation>结论的最低覆盖率：%1</translation>
    </message>
    <message>
        <source>min</source>
        <translation>分</translation>
    </message>
    <message>
        <source>money</source>
        <translation>金额</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从未</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>none: %1</source>
        <translation>无：%1</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>nothing: nothing was recorded that could</source>
        <translation>无：没有可用于排除的记录</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>rank %1 on %2</source>
        <translation>%2 上的 rank %1</translation>
    </message>
    <message>
        <source>ranks with recorded steps: %1</source>
        <translation>记录了步的 rank：%1</translation>
    </message>
    <message>
        <source>ruled out</source>
        <translation>已排除</translation>
    </message>
    <message>
        <source>series with samples: %1</source>
        <translation>有样本的 series：%1</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>自 %1</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>steps lost</source>
        <translation>损失的步</translation>
    </message>
    <message>
        <source>suspects, best first</source>
        <translation>嫌疑对象，最可能者在前</translation>
    </message>
    <message>
        <source>the ranking is being read …</source>
        <translation>正在读取排名 …</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>training time lost</source>
        <translation>损失的训练时间</translation>
    </message>
    <message>
        <source>until %1</source>
        <translation>至 %1</translation>
    </message>
    <message>
        <source>what</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>what happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>what was known</source>
        <translation>已知什么</translation>
    </message>
    <message>
        <source>where it ran</source>
        <translation>运行环境</translation>
    </message>
    <message>
        <source>without a time</source>
        <translation>无时间</translation>
    </message>
    <message>
        <source>… the rest is too long to be shown.</source>
        <translation>… 其余过长，不显示。</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>System</source>
        <translation>跟随系统</translation>
    </message>
</context>
<context>
    <name>MakerText</name>
    <message>
        <source>A simulated run of %1 GPUs on %2 nodes, %3 steps: one GPU computes slower for a while, later another falls off the bus and the job restarts.</source>
        <translation>模拟的 run：%2 个节点、%1 个 GPU、%3 步。其间一个 GPU 计算变慢一段时间，之后另一个 GPU 掉卡，作业重启。</translation>
    </message>
    <message>
        <source>analysing %1</source>
        <translation>正在分析 %1</translation>
    </message>
    <message>
        <source>looking for metrics at %1</source>
        <translation>正在查找 %1 上的指标</translation>
    </message>
    <message>
        <source>metric %1 of %2</source>
        <translation>第 %1 个指标，共 %2 个</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
</context>
<context>
    <name>MarkText</name>
    <message>
        <source>attempt %1 begins</source>
        <translation>attempt %1 开始</translation>
    </message>
    <message>
        <source>checkpoint of step %1</source>
        <translation>第 %1 步的 checkpoint</translation>
    </message>
    <message>
        <source>checkpoint of step %1, not durable</source>
        <translation>第 %1 步的 checkpoint，未落盘</translation>
    </message>
    <message>
        <source>finding: %1</source>
        <translation>结论：%1</translation>
    </message>
    <message>
        <source>incident: %1</source>
        <translation>事故：%1</translation>
    </message>
    <message>
        <source>note: %1</source>
        <translation>备注：%1</translation>
    </message>
</context>
<context>
    <name>Overview</name>
    <message>
        <source>%1 Step %2.</source>
        <translation>%1 第 %2 步。</translation>
    </message>
    <message>
        <source>%1 of %2 device</source>
        <translation>%2 个设备中 %1 个</translation>
    </message>
    <message>
        <source>%1 of %2 devices</source>
        <translation>%2 个设备中 %1 个</translation>
    </message>
    <message>
        <source>%1 of %2 node</source>
        <translation>%2 个节点中 %1 个</translation>
    </message>
    <message>
        <source>%1 of %2 nodes</source>
        <translation>%2 个节点中 %1 个</translation>
    </message>
    <message>
        <source>%1 of %2 rank</source>
        <translation>%2 个 rank 中 %1 个</translation>
    </message>
    <message>
        <source>%1 of %2 ranks</source>
        <translation>%2 个 rank 中 %1 个</translation>
    </message>
    <message>
        <source>%1 slower than its best %2 steps.</source>
        <translation>比最佳 %2 步慢 %1。</translation>
    </message>
    <message>
        <source>%1 steps at risk</source>
        <translation>%1 步有丢失风险</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 tokens/s</translation>
    </message>
    <message>
        <source>%1 vs best</source>
        <translation>%1（相比最佳）</translation>
    </message>
    <message>
        <source>%1 · slowest: %2</source>
        <translation>%1 · 最慢：%2</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>a sentence</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1/rank</source>
        <translation>%1/rank</translation>
    </message>
    <message>
        <source>; </source>
        <comment>between clauses</comment>
        <translation>；</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>Failed after %1.</source>
        <translation>%1 后失败。</translation>
    </message>
    <message>
        <source>Failed at step %1 after %2.</source>
        <translation>运行 %2 后在第 %1 步失败。</translation>
    </message>
    <message>
        <source>Failed at step %1.</source>
        <translation>在第 %1 步失败。</translation>
    </message>
    <message>
        <source>Failed.</source>
        <translation>失败。</translation>
    </message>
    <message>
        <source>Finished after %1.</source>
        <translation>%1 后完成。</translation>
    </message>
    <message>
        <source>Finished at step %1 after %2.</source>
        <translation>运行 %2 后在第 %1 步完成。</translation>
    </message>
    <message>
        <source>Finished at step %1.</source>
        <translation>在第 %1 步完成。</translation>
    </message>
    <message>
        <source>Finished.</source>
        <translation>已完成。</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>MFU N/A, as logged</source>
        <translation>MFU N/A，据日志</translation>
    </message>
    <message>
        <source>Median and 99th percentile over ranks of the newest %1 steps.</source>
        <translation>最新 %1 步在各 rank 上的中位数与 99 百分位。</translation>
    </message>
    <message>
        <source>Newest point of &quot;%1&quot;, unsmoothed; EMA: debiased, weight %2, of its newest %3 steps.</source>
        <translation>“%1”的最新点，未平滑；EMA：去偏，权重 %2，最新 %3 步。</translation>
    </message>
    <message>
        <source>Running.</source>
        <translation>运行中。</translation>
    </message>
    <message>
        <source>Silent.</source>
        <translation>失联。</translation>
    </message>
    <message>
        <source>Simulated.</source>
        <translation>模拟数据。</translation>
    </message>
    <message>
        <source>Stalled.</source>
        <translation>停滞。</translation>
    </message>
    <message>
        <source>State not known.</source>
        <translation>状态未知。</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>步耗时</translation>
    </message>
    <message>
        <source>The newest durable checkpoint, and the steps since it that a crash would cost.</source>
        <translation>最新的持久化 checkpoint，以及其后崩溃将损失的步。</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>Tokens/s per GPU</source>
        <translation>每 GPU Tokens/s</translation>
    </message>
    <message>
        <source>attempt %1</source>
        <translation>attempt %1</translation>
    </message>
    <message>
        <source>attempt %1 ended: %2 → %3</source>
        <translation>attempt %1 结束：%2 → %3</translation>
    </message>
    <message>
        <source>being read</source>
        <translation>读取中</translation>
    </message>
    <message>
        <source>checkpoint of step %1</source>
        <translation>第 %1 步的 checkpoint</translation>
    </message>
    <message>
        <source>checkpoint of step %1, not durable</source>
        <translation>第 %1 步的 checkpoint，未持久化</translation>
    </message>
    <message>
        <source>finding: %1</source>
        <translation>结论：%1</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>loss</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>min–max of %1 ranks</source>
        <translation>%1 个 rank 的最小–最大</translation>
    </message>
    <message>
        <source>no step durations</source>
        <translation>无步耗时</translation>
    </message>
    <message>
        <source>no step durations: the run was not traced with the client and its log has none</source>
        <translation>无步耗时：该 run 未用客户端追踪，日志中也没有</translation>
    </message>
    <message>
        <source>node %1</source>
        <translation>节点 %1</translation>
    </message>
    <message>
        <source>none seen</source>
        <translation>未见</translation>
    </message>
    <message>
        <source>not logged</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>of %1 steps, %2 to %3</source>
        <translation>占 %1 步（第 %2 至 %3 步）</translation>
    </message>
    <message>
        <source>of step %1</source>
        <translation>占第 %1 步</translation>
    </message>
    <message>
        <source>of the time</source>
        <translation>占时间</translation>
    </message>
    <message>
        <source>rank %1 %2</source>
        <translation>rank %1 %2</translation>
    </message>
    <message>
        <source>reading the steps of %1 ranks …</source>
        <translation>正在读取 %1 个 rank 的步 …</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>step time</source>
        <translation>步耗时</translation>
    </message>
    <message>
        <source>the last step</source>
        <translation>最后一步</translation>
    </message>
    <message>
        <source>this run has logged no gradient norm</source>
        <translation>该 run 未记录梯度范数</translation>
    </message>
    <message>
        <source>this run has logged no loss</source>
        <translation>该 run 未记录 loss</translation>
    </message>
    <message>
        <source>this run has logged no throughput</source>
        <translation>该 run 未记录吞吐</translation>
    </message>
    <message>
        <source>throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>throughput per GPU</source>
        <translation>每 GPU 吞吐</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source> (%1 %2)</source>
        <translation>（%1 %2）</translation>
    </message>
    <message>
        <source> (%1)</source>
        <translation>（%1）</translation>
    </message>
    <message>
        <source> Gradient norm up to %1.</source>
        <translation>梯度范数最高 %1。</translation>
    </message>
    <message>
        <source> Traced were %1.</source>
        <translation>已追踪 %1。</translation>
    </message>
    <message>
        <source> and </source>
        <translation> 和 </translation>
    </message>
    <message>
        <source> and waited %1</source>
        <translation>，等待 %1</translation>
    </message>
    <message>
        <source> in steps %1 to %2</source>
        <translation>，第 %1 至 %2 步</translation>
    </message>
    <message>
        <source> min</source>
        <translation> 分</translation>
    </message>
    <message>
        <source> of own work</source>
        <translation>自身工作</translation>
    </message>
    <message>
        <source> on %1</source>
        <translation>，位于 %1</translation>
    </message>
    <message>
        <source> took %1</source>
        <translation>耗时 %1</translation>
    </message>
    <message>
        <source>%1   with %2</source>
        <translation>%1   附 %2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 %2 against %3%4</source>
        <translation>%1 %2，对比 %3%4</translation>
    </message>
    <message>
        <source>%1 and %2 of severity %3 and worse, %4</source>
        <translation>%1、%3 及以上级别的 %2，%4</translation>
    </message>
    <message>
        <source>%1 between %2 and %3</source>
        <translation>%1，介于 %2 与 %3</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 of %2, %3</source>
        <translation>%1 / %2，%3</translation>
    </message>
    <message>
        <source>%1 off the scale</source>
        <translation>%1 个超出量程</translation>
    </message>
    <message>
        <source>%1 rose by %2</source>
        <translation>%1 增加 %2</translation>
    </message>
    <message>
        <source>%1 – %2 %3</source>
        <translation>%1 – %2 %3</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, first %2</source>
        <translation>%1，首个 %2</translation>
    </message>
    <message>
        <source>%1, no spike.</source>
        <translation>%1，无尖峰。</translation>
    </message>
    <message>
        <source>%1, not back within %2 points</source>
        <translation>%1，%2 个点内未恢复</translation>
    </message>
    <message>
        <source>%1, not back within %2 points, recovered at %3</source>
        <translation>%1，%2 个点内未恢复，于 %3 恢复</translation>
    </message>
    <message>
        <source>%1, not back yet</source>
        <translation>%1，尚未恢复</translation>
    </message>
    <message>
        <source>%1, recovered at %2</source>
        <translation>%1，于 %2 恢复</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2 at step %3</source>
        <translation>%1：%2，第 %3 步</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>%1; it rose to %2 against %3 at step %4, below the limit of a spike.</source>
        <translation>%1；第 %4 步升至 %2，对比 %3，未达尖峰阈值。</translation>
    </message>
    <message>
        <source>+%1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>+%1 where there is room</source>
        <translation>空间足够时另显示 %1 个</translation>
    </message>
    <message>
        <source>, %1 of them not finite</source>
        <translation>，其中 %1 个非有限</translation>
    </message>
    <message>
        <source>, %1 without data</source>
        <translation>，%1 无数据</translation>
    </message>
    <message>
        <source>, and rank %1</source>
        <translation>，以及 rank %1</translation>
    </message>
    <message>
        <source>, close ones joined</source>
        <translation>，相近者合并</translation>
    </message>
    <message>
        <source>, ranks %1</source>
        <translation>，rank %1</translation>
    </message>
    <message>
        <source>, since step %1</source>
        <translation>，自第 %1 步起</translation>
    </message>
    <message>
        <source>, steps %1 to %2</source>
        <translation>，第 %1 至 %2 步</translation>
    </message>
    <message>
        <source>, those before %1</source>
        <translation>，%1 之前的</translation>
    </message>
    <message>
        <source>: %1 of %2.</source>
        <translation>：%1 / %2。</translation>
    </message>
    <message>
        <source>: all are within 2 % of their peers in every step.</source>
        <translation>：每一步都在同类的 2 % 以内。</translation>
    </message>
    <message>
        <source>; %1 against %2 of the others</source>
        <translation>；%1，其他为 %2</translation>
    </message>
    <message>
        <source>; %1 more in the window.</source>
        <translation>；窗口内另有 %1 个。</translation>
    </message>
    <message>
        <source>; %1 more outliers</source>
        <translation>；另有 %1 个离群</translation>
    </message>
    <message>
        <source>; %1 of a branch that was run again (grey)</source>
        <translation>；%1 属于重跑过的分支（灰色）</translation>
    </message>
    <message>
        <source>; %1 of the window&apos;s %2</source>
        <translation>；窗口内 %2 中的 %1</translation>
    </message>
    <message>
        <source>; clocks ± %1</source>
        <translation>；时钟 ± %1</translation>
    </message>
    <message>
        <source>; compared in %1 of %2</source>
        <translation>；已比较 %1 / %2</translation>
    </message>
    <message>
        <source>; peers: %1 of %2 of the job&apos;s %3</source>
        <translation>；同类：作业 %3 中 %2 的 %1</translation>
    </message>
    <message>
        <source>; ranks not compared: %1</source>
        <translation>；未比较的 rank：%1</translation>
    </message>
    <message>
        <source>; the first %1 of each were read</source>
        <translation>；每个只读取了前 %1 个</translation>
    </message>
    <message>
        <source>By its content; without one it is left out</source>
        <translation>按内容识别；无法识别则跳过</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy: %1</source>
        <translation>复制：%1</translation>
    </message>
    <message>
        <source>Device and host</source>
        <translation>设备与主机</translation>
    </message>
    <message>
        <source>EMA %1 (faint: points)</source>
        <translation>EMA %1（浅色：原始点）</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>From step %1 on</source>
        <translation>自第 %1 步起</translation>
    </message>
    <message>
        <source>GPU %1</source>
        <translation>GPU %1</translation>
    </message>
    <message>
        <source>Image, disks and addresses are yours to fill in: packaging/kubernetes, /usr/share/runglass/kubernetes, docs/operate/deploy.md.</source>
        <translation>镜像、磁盘和地址请自行填写：packaging/kubernetes、/usr/share/runglass/kubernetes、docs/operate/deploy.md。</translation>
    </message>
    <message>
        <source>In %1</source>
        <translation>在 %1</translation>
    </message>
    <message>
        <source>In a second terminal, for each node</source>
        <translation>在另一终端，对每个节点</translation>
    </message>
    <message>
        <source>In a second terminal: the agent</source>
        <translation>在另一终端：agent</translation>
    </message>
    <message>
        <source>In a second terminal: the run in a window, and in fifteen lines</source>
        <translation>在另一终端：窗口显示 run，及十五行摘要</translation>
    </message>
    <message>
        <source>In a second terminal: the run in a window, its status, and captures of a hung run</source>
        <translation>在另一终端：窗口显示 run、其状态，以及挂起 run 的 capture</translation>
    </message>
    <message>
        <source>In the job script, around the trainer</source>
        <translation>在作业脚本中，包裹训练程序</translation>
    </message>
    <message>
        <source>In the training script</source>
        <translation>在训练脚本中</translation>
    </message>
    <message>
        <source>Inside archives: archive/member</source>
        <translation>压缩包内：包名/成员</translation>
    </message>
    <message>
        <source>It is not known on which machine rank %1 ran.</source>
        <translation>rank %1 运行于哪台机器未知。</translation>
    </message>
    <message>
        <source>It keeps a replica here and reconnects after cuts: docs/operate/replicas.md. Or in this window: Connect to a hub.</source>
        <translation>它在此保留副本，断线后自动重连：docs/operate/replicas.md。也可在此窗口：连接 hub。</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Log lines and events</source>
        <translation>日志行与事件</translation>
    </message>
    <message>
        <source>Loss and gradient norm</source>
        <translation>Loss 与梯度范数</translation>
    </message>
    <message>
        <source>Loss from %1 to %2 in the window</source>
        <translation>窗口内 loss 由 %1 到 %2</translation>
    </message>
    <message>
        <source>Minutes since the first sign, at %1. %2 happened; </source>
        <translation>自首个迹象（%1）起的分钟数。发生了 %2；</translation>
    </message>
    <message>
        <source>No log line and no event from %1.</source>
        <translation>%1 没有日志行和事件。</translation>
    </message>
    <message>
        <source>No point of the loss in this window.</source>
        <translation>此窗口内没有 loss 数据点。</translation>
    </message>
    <message>
        <source>No point of “%1” in this window.</source>
        <translation>此窗口内没有“%1”的数据点。</translation>
    </message>
    <message>
        <source>No rank deviates%1</source>
        <translation>没有偏离的 rank%1</translation>
    </message>
    <message>
        <source>No spans of %1 ranks from %2.</source>
        <translation>%2 起没有 %1 个 rank 的 span。</translation>
    </message>
    <message>
        <source>No spans: the run was not traced.</source>
        <translation>没有 span：该 run 未被追踪。</translation>
    </message>
    <message>
        <source>No step began from %1.</source>
        <translation>自 %1 起没有步开始。</translation>
    </message>
    <message>
        <source>No step durations: the run was not traced with the client and its log has none.</source>
        <translation>没有步耗时：该 run 未用 client 追踪，日志中也没有。</translation>
    </message>
    <message>
        <source>No step of this window has a duration.</source>
        <translation>此窗口内的步没有耗时。</translation>
    </message>
    <message>
        <source>Nothing called “%1” was recorded.</source>
        <translation>未记录名为“%1”的数据。</translation>
    </message>
    <message>
        <source>Nothing was measured on %1 in this window.</source>
        <translation>此窗口内 %1 没有测量值。</translation>
    </message>
    <message>
        <source>Nothing was measured on %1 in this window. Events: %2</source>
        <translation>此窗口内 %1 没有测量值。事件：%2</translation>
    </message>
    <message>
        <source>Nothing was recorded of it.</source>
        <translation>没有相关记录。</translation>
    </message>
    <message>
        <source>On a disk of that machine, as USER. For agents of its nodes, beside it: --listen 0.0.0.0:7070 --trust … (docs/operate/trust.md).</source>
        <translation>在该机磁盘上，以 USER 身份。若供其节点的 agent 使用，另加：--listen 0.0.0.0:7070 --trust …（docs/operate/trust.md）。</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>磁盘上</translation>
    </message>
    <message>
        <source>On each node</source>
        <translation>在每个节点</translation>
    </message>
    <message>
        <source>On the login node: a hub with a socket that is yours alone</source>
        <translation>在登录节点：使用仅属于你的 socket 的 hub</translation>
    </message>
    <message>
        <source>On this machine: that socket, here</source>
        <translation>在本机：把该 socket 映射到此</translation>
    </message>
    <message>
        <source>On this machine: the hub that receives and stores</source>
        <translation>在本机：接收并存储的 hub</translation>
    </message>
    <message>
        <source>Once, on this machine: certificates for the hub and each node</source>
        <translation>在本机执行一次：hub 与各节点的证书</translation>
    </message>
    <message>
        <source>Once: certificates for the hub in the cluster and each GPU node</source>
        <translation>执行一次：集群内 hub 与各 GPU 节点的证书</translation>
    </message>
    <message>
        <source>One on each node, beside the trainers; as a service: packages and /etc/runglass/agent.toml (docs/operate/install.md).</source>
        <translation>每节点一个，与训练进程并列；作为服务运行：安装包与 /etc/runglass/agent.toml（docs/operate/install.md）。</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>Step times of all ranks</source>
        <translation>所有 rank 的步耗时</translation>
    </message>
    <message>
        <source>Steps %1 to %2</source>
        <translation>第 %1 至 %2 步</translation>
    </message>
    <message>
        <source>The card names no metric: its select needs metric=NAME.</source>
        <translation>卡片未指明指标：select 需要 metric=NAME。</translation>
    </message>
    <message>
        <source>The card names no rank and no node of this store.</source>
        <translation>卡片未指明此 store 的 rank 或节点。</translation>
    </message>
    <message>
        <source>The card&apos;s window has no time.</source>
        <translation>卡片的窗口没有时间。</translation>
    </message>
    <message>
        <source>The hub, its Secret and the agents&apos; one</source>
        <translation>hub、其 Secret 与 agent 的 Secret</translation>
    </message>
    <message>
        <source>The jobs read this folder: put it where the nodes see it.</source>
        <translation>作业会读取此目录：请放在节点可见之处。</translation>
    </message>
    <message>
        <source>The nodes by their host names. Then copy agents/NODE/* of that folder to /etc/runglass of each (docs/operate/trust.md).</source>
        <translation>节点用主机名表示。之后把该目录的 agents/NODE/* 复制到各节点的 /etc/runglass（docs/operate/trust.md）。</translation>
    </message>
    <message>
        <source>The run has no clock, and this metric no steps.</source>
        <translation>该 run 没有时钟，该指标也没有步。</translation>
    </message>
    <message>
        <source>The run has no clock: device metrics have no place beside it.</source>
        <translation>该 run 没有时钟：无法对应设备指标。</translation>
    </message>
    <message>
        <source>The run has no log lines and no events.</source>
        <translation>该 run 没有日志行和事件。</translation>
    </message>
    <message>
        <source>The run recorded no training loss.</source>
        <translation>该 run 未记录训练 loss。</translation>
    </message>
    <message>
        <source>The slowest is %1: %2 of own work a step, %3 against its peers</source>
        <translation>最慢的是 %1：每步自身工作 %2，相对同类 %3</translation>
    </message>
    <message>
        <source>This version knows no evidence of the kind “%1”.</source>
        <translation>此版本不支持“%1”类证据。</translation>
    </message>
    <message>
        <source>Through a bastion: ssh -J BASTION -N -R … NODE. Every user of the node can reach that port.</source>
        <translation>经跳板机：ssh -J BASTION -N -R … NODE。该节点的所有用户都能访问此端口。</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>To look at it from here: the hub&apos;s port, while this runs</source>
        <translation>在此查看：命令运行期间转发 hub 的端口</translation>
    </message>
    <message>
        <source>What happened, and what was known when</source>
        <translation>发生了什么，何时知晓</translation>
    </message>
    <message>
        <source>Why it is left out</source>
        <translation>跳过的原因</translation>
    </message>
    <message>
        <source>Why not</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Without a bastion: without -J.</source>
        <translation>无跳板机时：去掉 -J。</translation>
    </message>
    <message>
        <source>Without a window: runglassctl serve --store … with the same options.</source>
        <translation>不用窗口：runglassctl serve --store …，选项相同。</translation>
    </message>
    <message>
        <source>Without it the agent still sees GPUs, hosts, kernel messages and logs. Everything else: docs/guide/client.md</source>
        <translation>没有它，agent 仍可采集 GPU、主机、内核消息和日志。其余见：docs/guide/client.md</translation>
    </message>
    <message>
        <source>a CA</source>
        <translation>CA 证书</translation>
    </message>
    <message>
        <source>a certificate</source>
        <translation>证书</translation>
    </message>
    <message>
        <source>a token</source>
        <translation>token</translation>
    </message>
    <message>
        <source>agent_step.sh is in packaging/slurm and /usr/share/runglass/slurm. No machine for a hub: job_with_hub.sh there (docs/operate/deploy.md).</source>
        <translation>agent_step.sh 位于 packaging/slurm 和 /usr/share/runglass/slurm。没有机器运行 hub 时：用其中的 job_with_hub.sh（docs/operate/deploy.md）。</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>as its peers: %1</source>
        <translation>与同类相同：%1</translation>
    </message>
    <message>
        <source>attempt %1</source>
        <translation>attempt %1</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>errors, total</source>
        <translation>错误，累计</translation>
    </message>
    <message>
        <source>events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>half: faster</source>
        <translation>半格：更快</translation>
    </message>
    <message>
        <source>hatched: not recorded</source>
        <translation>斜线：未记录</translation>
    </message>
    <message>
        <source>host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>loss</translation>
    </message>
    <message>
        <source>loss is %1 at step %2, and stays not finite</source>
        <translation>第 %2 步 loss 为 %1，此后仍非有限</translation>
    </message>
    <message>
        <source>loss is %1 at step %2, recovered at %3</source>
        <translation>第 %2 步 loss 为 %1，于 %3 恢复</translation>
    </message>
    <message>
        <source>loss spike at step %1: %2 against %3</source>
        <translation>第 %1 步 loss 尖峰：%2，基线 %3</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>min–max</source>
        <translation>最小–最大</translation>
    </message>
    <message>
        <source>min–max of %1</source>
        <translation>%1 的最小–最大</translation>
    </message>
    <message>
        <source>no data in this window</source>
        <translation>此窗口内无数据</translation>
    </message>
    <message>
        <source>no error counter rose</source>
        <translation>错误计数均未增加</translation>
    </message>
    <message>
        <source>no reading for %1</source>
        <translation>%1 无读数</translation>
    </message>
    <message>
        <source>no spans here</source>
        <translation>此处没有 span</translation>
    </message>
    <message>
        <source>no steps of theirs</source>
        <translation>没有它们的步</translation>
    </message>
    <message>
        <source>own work</source>
        <translation>自身工作</translation>
    </message>
    <message>
        <source>peers&apos; median</source>
        <translation>同类中位数</translation>
    </message>
    <message>
        <source>peers&apos; median (%1)</source>
        <translation>同类中位数（%1）</translation>
    </message>
    <message>
        <source>plain: ± 2 %</source>
        <translation>素色：± 2 %</translation>
    </message>
    <message>
        <source>publication is not recorded.</source>
        <translation>未记录发布时间。</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>rank %1 computed %2</source>
        <translation>rank %1 计算 %2</translation>
    </message>
    <message>
        <source>rank × step: %1 against the peers&apos; median%2</source>
        <translation>rank × 步：%1 相对同类中位数%2</translation>
    </message>
    <message>
        <source>severity</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>step </source>
        <translation>步 </translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>step time</source>
        <translation>步耗时</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1 至 %2 步</translation>
    </message>
    <message>
        <source>the first word of it came %1 after the first sign.</source>
        <translation>首次知晓是在首个迹象后 %1。</translation>
    </message>
    <message>
        <source>the first word of it was there before the first sign.</source>
        <translation>在首个迹象之前已知晓。</translation>
    </message>
    <message>
        <source>the worst %1 of %2%3 × step: %4 against the peers&apos; median%5</source>
        <translation>%2 中最差的 %1%3 × 步：%4 相对同类中位数%5</translation>
    </message>
    <message>
        <source>too few peers</source>
        <translation>同类过少</translation>
    </message>
    <message>
        <source>too few steps</source>
        <translation>步数过少</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>what happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>what was known</source>
        <translation>知晓了什么</translation>
    </message>
    <message>
        <source>where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>… and %1</source>
        <translation>… 以及 %1</translation>
    </message>
    <message>
        <source>● last  ▼ had waited</source>
        <translation>● 最后进入  ▼ 曾等待</translation>
    </message>
</context>
<context>
    <name>Ranking</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 %2 (peers %3)</source>
        <translation>%1 %2（同类 %3）</translation>
    </message>
    <message>
        <source>%1 %2 (peers %3, %4)</source>
        <translation>%1 %2（同类 %3，%4）</translation>
    </message>
    <message>
        <source>%1 %2 against %3</source>
        <translation>%1 %2，同类 %3</translation>
    </message>
    <message>
        <source>%1 %2 as its peers, %3</source>
        <translation>%1 %2，与同类相同，%3</translation>
    </message>
    <message>
        <source>%1 %2 more ranks deviate.</source>
        <translation>%1 另有 %2 个 rank 异常。</translation>
    </message>
    <message>
        <source>%1 %2 more ranks of this node deviate.</source>
        <translation>%1 该节点另有 %2 个 rank 异常。</translation>
    </message>
    <message>
        <source>%1 (%2 of %3)</source>
        <translation>%1（%3 个中 %2 个）</translation>
    </message>
    <message>
        <source>%1 (rack %2)</source>
        <translation>%1（机架 %2）</translation>
    </message>
    <message>
        <source>%1 No rank is slower now.</source>
        <translation>%1 目前没有 rank 变慢。</translation>
    </message>
    <message>
        <source>%1 No single rank is slower than its peers.</source>
        <translation>%1 没有单个 rank 慢于同类。</translation>
    </message>
    <message>
        <source>%1 Rank %2 deviates as well.</source>
        <translation>%1 rank %2 也异常。</translation>
    </message>
    <message>
        <source>%1 cost %2 of every step</source>
        <translation>%1 曾耗去每步的 %2</translation>
    </message>
    <message>
        <source>%1 costs %2 of every step</source>
        <translation>%1 耗去每步的 %2</translation>
    </message>
    <message>
        <source>%1 deviates</source>
        <translation>%1 异常</translation>
    </message>
    <message>
        <source>%1 in steps %2 to %3</source>
        <translation>%1，第 %2 至 %3 步</translation>
    </message>
    <message>
        <source>%1 in steps %2 to %3 (%4 to %5)</source>
        <translation>%1，第 %2 至 %3 步（%4 至 %5）</translation>
    </message>
    <message>
        <source>%1 is %2 slower than its peers</source>
        <translation>%1 比同类慢 %2</translation>
    </message>
    <message>
        <source>%1 of %2 collectives</source>
        <translation>%2 次集合通信中 %1 次</translation>
    </message>
    <message>
        <source>%1 of %2 ranks recorded none of these steps.</source>
        <translation>%2 个 rank 中 %1 个未记录这些步。</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1，位于 %2</translation>
    </message>
    <message>
        <source>%1 ranks wait least, rank %2 first: in %3 of %4 collectives. Several do where a pipeline passes one&apos;s slowness on.</source>
        <translation>%1 个 rank 等待最少，rank %2 居首：%4 次集合通信中占 %3。流水线会传递变慢，因此会出现多个。</translation>
    </message>
    <message>
        <source>%1 relative</source>
        <translation>%1 相对</translation>
    </message>
    <message>
        <source>%1 since step %2</source>
        <translation>%1，自第 %2 步起</translation>
    </message>
    <message>
        <source>%1 since step %2 (%3)</source>
        <translation>%1，自第 %2 步起（%3）</translation>
    </message>
    <message>
        <source>%1 since step %2 or before</source>
        <translation>%1，自第 %2 步或更早起</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1 takes %2 longer than its peers</source>
        <translation>%1 耗时比同类长 %2</translation>
    </message>
    <message>
        <source>%1 vote</source>
        <translation>%1 投票</translation>
    </message>
    <message>
        <source>%1 waits least: in %2 of %3 collectives the others waited for it, as for a slow rank.</source>
        <translation>%1 等待最少：%3 次集合通信中 %2 由其他 rank 等待它，符合慢 rank 特征。</translation>
    </message>
    <message>
        <source>%1 what-if</source>
        <translation>%1 what-if</translation>
    </message>
    <message>
        <source>%1 works %2 longer than its peers</source>
        <translation>%1 工作时间比同类长 %2</translation>
    </message>
    <message>
        <source>%1, %2 compared with the median of up to %3 peers; their spread is ± %4.</source>
        <translation>%1，与至多 %3 个同类的中位数相比 %2；同类间通常 ± %4。</translation>
    </message>
    <message>
        <source>%1, but by less than %2 a step</source>
        <translation>%1，但每步相差不到 %2</translation>
    </message>
    <message>
        <source>%1, but in %2 of the steps only</source>
        <translation>%1，但只在 %2 的步中</translation>
    </message>
    <message>
        <source>%1, but its peers differ by ± %2, too</source>
        <translation>%1，但其同类之间也相差 ± %2</translation>
    </message>
    <message>
        <source>%1, most of it in %2</source>
        <translation>%1，主要在 %2</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1: %2 a step in the work its finding names, peers %3 (%4)</source>
        <translation>%1：其发现所指的部分每步 %2，同组 %3（%4）</translation>
    </message>
    <message>
        <source>%1: own work %2 a step</source>
        <translation>%1：每步工作 %2</translation>
    </message>
    <message>
        <source>%1: recorded none of these steps.</source>
        <translation>%1：未记录这些步。</translation>
    </message>
    <message>
        <source>%1: step time %2</source>
        <translation>%1：每步耗时 %2</translation>
    </message>
    <message>
        <source>%1; %2 of %3 steps</source>
        <translation>%1；%3 步中 %2</translation>
    </message>
    <message>
        <source>%1; a pixel shows its worst cell</source>
        <translation>%1；一个像素显示其中最差的单元</translation>
    </message>
    <message>
        <source>%1; all own work %2 a step</source>
        <translation>%1；其全部工作每步 %2</translation>
    </message>
    <message>
        <source>%1; confidence %2</source>
        <translation>%1；置信度%2</translation>
    </message>
    <message>
        <source>%1; confidence %2; %3 of %4 steps.</source>
        <translation>%1；置信度%2；%4 步中 %3。</translation>
    </message>
    <message>
        <source>%1; not compared: %2 peer.</source>
        <translation>%1；未比较：%2 个同类。</translation>
    </message>
    <message>
        <source>%1; not compared: %2 peers.</source>
        <translation>%1；未比较：%2 个同类。</translation>
    </message>
    <message>
        <source>%1; whole steps %2 each</source>
        <translation>%1；整步各 %2</translation>
    </message>
    <message>
        <source>A guess, from its finding&apos;s evidence: clock, thermal, power, fault, host, data, network.</source>
        <translation>依据结论证据的推测：频率、散热、功率、故障、主机、数据、网络。</translation>
    </message>
    <message>
        <source>A mark: a finding names it, or it deviates from its role by at least 5 % and three median absolute deviations in more than 70 % of the steps. Of larger things: how many of their ranks do.</source>
        <translation>标记：有结论指向它，或在 70 % 以上的步中比同角色偏差至少 5 % 且三倍中位绝对偏差。对更大的对象：其中有多少 rank 如此。</translation>
    </message>
    <message>
        <source>Against its peers: the score less 1.</source>
        <translation>与同类相比：分数减 1。</translation>
    </message>
    <message>
        <source>Another rank each step (sequence lengths or experts&apos; loads)</source>
        <translation>每步不同的 rank（序列长度或专家负载）</translation>
    </message>
    <message>
        <source>Bear it for now: %1</source>
        <translation>暂且容忍：%1</translation>
    </message>
    <message>
        <source>Bear it until %1: %2</source>
        <translation>容忍至 %1：%2</translation>
    </message>
    <message>
        <source>Break-even unknown: %1.</source>
        <translation>盈亏平衡点未知：%1。</translation>
    </message>
    <message>
        <source>Communication is left out: its waiting is known for %1 of it only.</source>
        <translation>通信未计入：其等待只有 %1 已知。</translation>
    </message>
    <message>
        <source>Compared: a rank&apos;s own work in a step (its parts without their waiting) with the median of the other ranks of its stage.</source>
        <translation>比较：rank 每步的自身工作（各部分扣除等待）与同 stage 其他 rank 的中位数。</translation>
    </message>
    <message>
        <source>Compared: whole step times. In a synchronous job all ranks take as long as the slowest, so that this finds none there; step parts separate work from waiting: runglass.span(…, part=&quot;forward&quot;) or runglass.part(…) in the training script.</source>
        <translation>比较：整步耗时。同步作业中所有 rank 与最慢者同样长，因此找不出慢 rank；步内各部分可区分工作与等待：在训练脚本中使用 runglass.span(…, part=&quot;forward&quot;) 或 runglass.part(…)。</translation>
    </message>
    <message>
        <source>Coordinates: data, pipeline, tensor, context, expert parallel.</source>
        <translation>坐标：数据、流水线、张量、上下文、专家并行。</translation>
    </message>
    <message>
        <source>Cost of its finding, because all ranks wait for it; of a node&apos;s finding the whole cost.</source>
        <translation>其结论的代价，因为所有 rank 都在等它；节点的结论为全部代价。</translation>
    </message>
    <message>
        <source>DP across, PP down: the slowest rank of each worker</source>
        <translation>横向 DP，纵向 PP：每个 worker 最慢的 rank</translation>
    </message>
    <message>
        <source>Data-parallel replica %1</source>
        <translation>数据并行副本 %1</translation>
    </message>
    <message>
        <source>Fewer than half of the ranks recorded step parts.</source>
        <translation>不到一半的 rank 记录了步内各部分。</translation>
    </message>
    <message>
        <source>First slow step, with its time (UTC) from the finding. ≤: already at the first step shown.</source>
        <translation>首个变慢的步，及结论给出的时间（UTC）。≤：所示首步时已变慢。</translation>
    </message>
    <message>
        <source>GPU-h/day</source>
        <translation>GPU 小时/天</translation>
    </message>
    <message>
        <source>Garbage collections of single ranks</source>
        <translation>个别 rank 的垃圾回收</translation>
    </message>
    <message>
        <source>It is no longer slow.</source>
        <translation>已不再慢。</translation>
    </message>
    <message>
        <source>Its work against its peers&apos; median in each of the newest 60 steps.</source>
        <translation>最新 60 步中每步的工作与同类中位数之比。</translation>
    </message>
    <message>
        <source>Lost so far: %1 GPU-hours.</source>
        <translation>至今损失：%1 GPU 小时。</translation>
    </message>
    <message>
        <source>Median of its own work in a step, without waiting; the step time where no parts are known.</source>
        <translation>每步自身工作的中位数，不含等待；各部分未知时为步耗时。</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s resiliency extension: the fastest peer&apos;s median over its own, 1 at best; a straggler below 0.75.</source>
        <translation>NVIDIA 弹性扩展：最快同类的中位数除以自身，最佳为 1；低于 0.75 为 straggler。</translation>
    </message>
    <message>
        <source>NVRx</source>
        <translation>NVRx</translation>
    </message>
    <message>
        <source>NVRx own</source>
        <translation>NVRx 自身</translation>
    </message>
    <message>
        <source>Network port %1</source>
        <translation>网口 %1</translation>
    </message>
    <message>
        <source>No rank deviates.</source>
        <translation>没有 rank 异常。</translation>
    </message>
    <message>
        <source>No rank deviates; all moved together by %1 over these %2 steps.</source>
        <translation>没有 rank 异常；这 %2 步中整体一起变化 %1。</translation>
    </message>
    <message>
        <source>No rank deviates; all moved together by %1 since step %2.</source>
        <translation>没有 rank 异常；自第 %2 步起整体一起变化 %1。</translation>
    </message>
    <message>
        <source>No rank deviates; rank %1 waited least, in %2 of %3 collectives.</source>
        <translation>没有 rank 异常；rank %1 等待最少，%3 次集合通信中占 %2。</translation>
    </message>
    <message>
        <source>No rank deviates; the slowest, rank %1, is %2 above its peers</source>
        <translation>没有 rank 异常；最慢的 rank %1 比同类高 %2</translation>
    </message>
    <message>
        <source>No rank deviates; the slowest, rank %1, is %2 below its peers</source>
        <translation>没有 rank 异常；最慢的 rank %1 比同类低 %2</translation>
    </message>
    <message>
        <source>No single worker is to blame; were all others as fast as usual, the slowest, %1, would still make the run %2 longer.</source>
        <translation>没有单个 worker 应负责；若其他都与平常一样快，最慢的 %1 仍会使 run 变长 %2。</translation>
    </message>
    <message>
        <source>Of its finding; else high: 80 % coverage and 50 steps; medium: 50 % and 10 steps; low: less, or only whole step times are known.</source>
        <translation>取自结论；否则，高：覆盖率 80 % 且 50 步；中：50 % 且 10 步；低：更少，或只知整步耗时。</translation>
    </message>
    <message>
        <source>Pattern: %1</source>
        <translation>模式：%1</translation>
    </message>
    <message>
        <source>Pattern: none that a finding names</source>
        <translation>模式：没有结论指明</translation>
    </message>
    <message>
        <source>Pipeline stage %1</source>
        <translation>流水线 stage %1</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Rank %1 on %2</source>
        <translation>%2 上的 rank %1</translation>
    </message>
    <message>
        <source>Replace it: past the break-even since %1. %2</source>
        <translation>应更换：盈亏平衡点已于 %1 越过。%2</translation>
    </message>
    <message>
        <source>Replace it: past the break-even. %1</source>
        <translation>应更换：盈亏平衡点已越过。%1</translation>
    </message>
    <message>
        <source>Replacing costs %1 (a restart takes %2, median of %3, × %4 GPUs).</source>
        <translation>更换代价 %1（一次重启 %2，%3 次的中位数，× %4 个 GPU）。</translation>
    </message>
    <message>
        <source>SM clock</source>
        <translation>SM 频率</translation>
    </message>
    <message>
        <source>Score: S, slowdown of the run with the rank&apos;s worker as recorded and everything else as usual; ranks of one tensor- or context-parallel group cannot be separated.</source>
        <translation>分数：S，仅该 rank 的 worker 按实际记录、其余与平常相同时 run 变慢的倍数；同一张量或上下文并行组内的 rank 无法区分。</translation>
    </message>
    <message>
        <source>Score: the share of a rank&apos;s collectives that took it less than 0.9 × the mean of the others (abnormal above 40 %); durations only, so clocks do not matter. It assumes one slow rank and does not say by how much.</source>
        <translation>分数：rank 的集合通信中耗时低于其他均值 0.9 倍的比例（高于 40 % 为异常）；只用时长，因此与时钟无关。假设只有一个慢 rank，不给出慢多少。</translation>
    </message>
    <message>
        <source>Share of its collectives that took it less than 0.9 × the mean of its peers (MegaScan): above 40 % of at least 10 is abnormal. Durations only: clocks do not matter. Of a slow rank, as the others wait for it.</source>
        <translation>其集合通信中耗时低于同类均值 0.9 倍的比例（MegaScan）：至少 10 次且高于 40 % 为异常。只用时长：与时钟无关。慢 rank 如此，因为其他 rank 在等它。</translation>
    </message>
    <message>
        <source>Share of the steps in which it was slow: of those since it became slow, else of all that were compared.</source>
        <translation>变慢的步所占比例：变慢之后的步，否则为所有比较过的步。</translation>
    </message>
    <message>
        <source>Share of the steps looked at for which it has data.</source>
        <translation>所看步中有数据的比例。</translation>
    </message>
    <message>
        <source>Slower or faster than in the attempt before, in points.</source>
        <translation>比前一 attempt 变慢或变快，单位百分点。</translation>
    </message>
    <message>
        <source>Step parts are not recorded; these are from the ranks&apos; spans.</source>
        <translation>未记录步内各部分；此处取自 rank 的 span。</translation>
    </message>
    <message>
        <source>Steps %1 to %2 of attempt %3.</source>
        <translation>attempt %3 的第 %1 至 %2 步。</translation>
    </message>
    <message>
        <source>The attempt ended.</source>
        <translation>该 attempt 已结束。</translation>
    </message>
    <message>
        <source>The network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>The ranks of pipeline stage %1 all work %2 longer than the other stages: that is the stage, no rank.</source>
        <translation>流水线 stage %1 的所有 rank 都比其他 stage 多工作 %2：是 stage 的问题，不是 rank。</translation>
    </message>
    <message>
        <source>The same against its own best earlier level: below 1 it became slower.</source>
        <translation>与其此前最佳水平相比：低于 1 表示变慢。</translation>
    </message>
    <message>
        <source>The step part that took most more than the peers&apos; median.</source>
        <translation>比同类中位数多耗时最多的步内部分。</translation>
    </message>
    <message>
        <source>Too few peers to rank anybody: a rank is compared with at least %1 others of its pipeline stage, here it has %2.</source>
        <translation>同类太少，无法排名：rank 至少与其流水线 stage 的另外 %1 个比较，此处只有 %2 个。</translation>
    </message>
    <message>
        <source>Too few peers to rank anybody: a rank is compared with at least %1 others, here it has %2.</source>
        <translation>同类太少，无法排名：rank 至少与另外 %1 个比较，此处只有 %2 个。</translation>
    </message>
    <message>
        <source>Too few steps to rank anybody: %1, and a ranking needs %2.</source>
        <translation>步太少，无法排名：只有 %1 步，需要 %2 步。</translation>
    </message>
    <message>
        <source>Waiting for data</source>
        <translation>等待数据</translation>
    </message>
    <message>
        <source>Where it runs.</source>
        <translation>所在节点。</translation>
    </message>
    <message>
        <source>Without waiting: %1</source>
        <translation>不含等待：%1</translation>
    </message>
    <message>
        <source>Work of the host</source>
        <translation>主机的工作</translation>
    </message>
    <message>
        <source>cause</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>coverage</source>
        <translation>覆盖率</translation>
    </message>
    <message>
        <source>high</source>
        <translation>高</translation>
    </message>
    <message>
        <source>hosts down, their GPUs across</source>
        <translation>纵向主机，横向 GPU</translation>
    </message>
    <message>
        <source>how much longer the run takes with it as recorded</source>
        <translation>按其实际记录，run 变长多少</translation>
    </message>
    <message>
        <source>last 60 steps</source>
        <translation>最近 60 步</translation>
    </message>
    <message>
        <source>low</source>
        <translation>低</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>中</translation>
    </message>
    <message>
        <source>network port %1</source>
        <translation>网口 %1</translation>
    </message>
    <message>
        <source>network ports</source>
        <translation>网口</translation>
    </message>
    <message>
        <source>new</source>
        <translation>新</translation>
    </message>
    <message>
        <source>new: the attempt before did not run there.</source>
        <translation>新：前一 attempt 未在该处运行。</translation>
    </message>
    <message>
        <source>no network port of its node deviates among %1</source>
        <translation>其节点的 %1 个网口没有异常</translation>
    </message>
    <message>
        <source>no warning or error event of its node</source>
        <translation>其节点没有警告或错误事件</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>node is</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>of its collectives, in which it waited least</source>
        <translation>在其集合通信中等待最少的比例</translation>
    </message>
    <message>
        <source>per step</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>persistence</source>
        <translation>持续性</translation>
    </message>
    <message>
        <source>place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>rank %1 (%2)</source>
        <translation>rank %1（%2）</translation>
    </message>
    <message>
        <source>relative: its own work over its peers&apos; median. what-if: S, how many times longer the run takes with its worker as recorded. vote: share of its collectives in which it waited least.</source>
        <translation>相对：自身工作除以同类中位数。what-if：S，其 worker 按实际记录时 run 变长的倍数。投票：等待最少的集合通信所占比例。</translation>
    </message>
    <message>
        <source>same</source>
        <translation>原有</translation>
    </message>
    <message>
        <source>score</source>
        <translation>分数</translation>
    </message>
    <message>
        <source>since restart</source>
        <translation>自重启</translation>
    </message>
    <message>
        <source>since step</source>
        <translation>起始步</translation>
    </message>
    <message>
        <source>slower by</source>
        <translation>慢于同类</translation>
    </message>
    <message>
        <source>slowest part</source>
        <translation>最慢部分</translation>
    </message>
    <message>
        <source>temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>to peers&apos; median; plain: ± 2 %</source>
        <translation>与同类中位数相比；素色：± 2 %</translation>
    </message>
    <message>
        <source>unnamed</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>waits least</source>
        <translation>等待最少</translation>
    </message>
</context>
<context>
    <name>RunText</name>
    <message>
        <source>%1 per GPU</source>
        <translation>每 GPU %1</translation>
    </message>
    <message>
        <source>%1 per step</source>
        <translation>每步 %1</translation>
    </message>
    <message>
        <source>%1 rank</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation>%1 samples/s</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 tokens/s</translation>
    </message>
    <message>
        <source>%1 tokens/s per GPU</source>
        <translation>每 GPU %1 tokens/s</translation>
    </message>
    <message>
        <source>MFU %1</source>
        <translation>MFU %1</translation>
    </message>
    <message>
        <source>MFU: %1.</source>
        <translation>MFU：%1。</translation>
    </message>
    <message>
        <source>Median of the newest %1 steps of &quot;%2&quot;; the change is against the attempt&apos;s best earlier %1 steps in a row.</source>
        <translation>“%2”最近 %1 步的中位数；变化相对于该 attempt 此前最好的连续 %1 步。</translation>
    </message>
    <message>
        <source>No MFU: neither logged FLOP/s nor the model&apos;s parameters (fact model_parameters) meet a known device peak.</source>
        <translation>没有 MFU：没有已知设备峰值可对应日志的 FLOP/s 或模型参数量（fact model_parameters）。</translation>
    </message>
    <message>
        <source>No series says tokens per second, FLOP/s or MFU.</source>
        <translation>没有序列给出 tokens/s、FLOP/s 或 MFU。</translation>
    </message>
    <message>
        <source>Tokens: median of the newest %1 steps of &quot;%2&quot;; the change is against the attempt&apos;s best earlier %1 steps in a row.</source>
        <translation>Tokens：“%2”最近 %1 步的中位数；变化相对于该 attempt 此前最好的连续 %1 步。</translation>
    </message>
    <message>
        <source>as the trainer logged it (&quot;%1&quot;)</source>
        <translation>训练程序日志所记（“%1”）</translation>
    </message>
    <message>
        <source>per GPU, logged as &quot;%1&quot;</source>
        <translation>每 GPU，日志记为“%1”</translation>
    </message>
    <message>
        <source>per GPU: 6 × %1 parameters × tokens/s</source>
        <translation>每 GPU：6 × %1 参数量 × tokens/s</translation>
    </message>
</context>
<context>
    <name>Runs</name>
    <message>
        <source>%1  (simulated)</source>
        <translation>%1（模拟）</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>As the run says; silent: it calls itself running, but nothing arrived for 15 s.</source>
        <translation>按 run 自身所述；失联：自称运行中，但 15 s 没有数据到达。</translation>
    </message>
    <message>
        <source>Every restart is an attempt.</source>
        <translation>每次重启为一个 attempt。</translation>
    </message>
    <message>
        <source>Findings of the analyses, worst first.</source>
        <translation>分析结论，最严重的在前。</translation>
    </message>
    <message>
        <source>From its start to its end, or to its newest data.</source>
        <translation>从开始到结束，或到最新数据。</translation>
    </message>
    <message>
        <source>Its name, unique in this store.</source>
        <translation>名称，在此 store 内唯一。</translation>
    </message>
    <message>
        <source>Model FLOP/s over the device&apos;s dense peak, where both are known; the tooltip shows the source.</source>
        <translation>模型 FLOP/s 除以设备稠密峰值，两者均已知时；来源见提示。</translation>
    </message>
    <message>
        <source>Nodes that reported within the last 15 s, of all nodes of the run.</source>
        <translation>最近 15 s 内上报的节点 / 该 run 的所有节点。</translation>
    </message>
    <message>
        <source>Of the whole job: median of the newest 20 steps.</source>
        <translation>整个作业：最新 20 步的中位数。</translation>
    </message>
    <message>
        <source>Parallel sizes of the newest attempt; – where nothing said them.</source>
        <translation>最新 attempt 的并行规模；– 表示没有记录。</translation>
    </message>
    <message>
        <source>The largest step of the newest attempt.</source>
        <translation>最新 attempt 的最大步。</translation>
    </message>
    <message>
        <source>The newest point of the series that the tooltip names, unsmoothed.</source>
        <translation>提示中所指 series 的最新点，未平滑。</translation>
    </message>
    <message>
        <source>The run&apos;s own start, else its first data.</source>
        <translation>run 自身的开始时间，否则为最早数据。</translation>
    </message>
    <message>
        <source>Tokens per second and GPU: median of the newest 20 steps.</source>
        <translation>每 GPU 每秒 token：最新 20 步的中位数。</translation>
    </message>
    <message>
        <source>Writer of the data, if recorded.</source>
        <translation>数据的写入方（若有记录）。</translation>
    </message>
    <message>
        <source>attempts</source>
        <translation>attempt 数</translation>
    </message>
    <message>
        <source>framework</source>
        <translation>框架</translation>
    </message>
    <message>
        <source>from &quot;%1&quot;</source>
        <translation>来自“%1”</translation>
    </message>
    <message>
        <source>health</source>
        <translation>健康</translation>
    </message>
    <message>
        <source>last loss</source>
        <translation>最新 loss</translation>
    </message>
    <message>
        <source>last step</source>
        <translation>最新步</translation>
    </message>
    <message>
        <source>lasted</source>
        <translation>持续</translation>
    </message>
    <message>
        <source>layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>no finding</source>
        <translation>无结论</translation>
    </message>
    <message>
        <source>nodes reporting</source>
        <translation>上报节点</translation>
    </message>
    <message>
        <source>per GPU</source>
        <translation>每 GPU</translation>
    </message>
    <message>
        <source>run</source>
        <translation>run</translation>
    </message>
    <message>
        <source>started</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>tokens/s</translation>
    </message>
</context>
<context>
    <name>SessionText</name>
    <message>
        <source>%1 Trying again.</source>
        <translation>%1 正在重试。</translation>
    </message>
    <message>
        <source>No hub: %1. This window reads and receives nothing.</source>
        <translation>没有 hub：%1。此窗口只读，不接收数据。</translation>
    </message>
    <message>
        <source>Nothing is stored now: %1</source>
        <translation>当前无法写入：%1</translation>
    </message>
    <message>
        <source>Process %1 writes this store and takes no edits; this window reads along.</source>
        <translation>进程 %1 正在写此 store，且不接受编辑；此窗口只读跟随。</translation>
    </message>
    <message>
        <source>hub on %1</source>
        <translation>hub：%1</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>opening …</source>
        <translation>正在打开 …</translation>
    </message>
    <message>
        <source>reader: process %1 writes</source>
        <translation>只读：进程 %1 写入</translation>
    </message>
    <message>
        <source>repaired copy</source>
        <translation>已修复的副本</translation>
    </message>
    <message>
        <source>stored file</source>
        <translation>已存文件</translation>
    </message>
    <message>
        <source>stored file, read-only</source>
        <translation>已存文件，只读</translation>
    </message>
</context>
<context>
    <name>SourceText</name>
    <message>
        <source>%1 behind</source>
        <translation>滞后 %1</translation>
    </message>
    <message>
        <source>A replica of the hub&apos;s store as of then. runglass --connect %1 continues it.</source>
        <translation>截至当时的 hub store 副本。runglass --connect %1 可继续同步。</translation>
    </message>
    <message>
        <source>Another process copies the hub&apos;s store into this file; this window reads along.</source>
        <translation>另一进程把 hub 的 store 复制到此文件；此窗口只读跟随。</translation>
    </message>
    <message>
        <source>No process writes this store: all ages and shares are those of its newest data.</source>
        <translation>没有进程写入此存储：所有时长与占比均以其最新数据为准。</translation>
    </message>
    <message>
        <source>Single samples over time, spans and captures stay at the hub: they are shown again when the line stands. Until then curves over time are drawn from summaries of every 64 samples.</source>
        <translation>单个样本、span 和 capture 保留在 hub：连接恢复后重新显示。此前的时间曲线按每 64 个样本的摘要绘制。</translation>
    </message>
    <message>
        <source>This window replicates the hub&apos;s store. Lag by the hub&apos;s clock since the replica was last complete.</source>
        <translation>此窗口复制 hub 的 store。滞后按 hub 的时钟，自副本上次完整时算起。</translation>
    </message>
    <message>
        <source>as of %1, %2 ago</source>
        <translation>截至 %1，%2 前</translation>
    </message>
    <message>
        <source>copy of hub %1 · %2</source>
        <translation>hub %1 的副本 · %2</translation>
    </message>
    <message>
        <source>copying, %1 so far</source>
        <translation>正在复制，已有 %1</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>data %1 old</source>
        <translation>数据为 %1 前</translation>
    </message>
    <message>
        <source>hub %1 · %2</source>
        <translation>hub %1 · %2</translation>
    </message>
    <message>
        <source>line cut %1 ago · %2, trying again</source>
        <translation>连接已断 %1 · %2，正在重试</translation>
    </message>
    <message>
        <source>no connection yet · %1, trying</source>
        <translation>尚未连接 · %1，正在尝试</translation>
    </message>
    <message>
        <source>not complete yet</source>
        <translation>尚不完整</translation>
    </message>
    <message>
        <source>nothing is here yet</source>
        <translation>尚无数据</translation>
    </message>
    <message>
        <source>refused · %1</source>
        <translation>被拒绝 · %1</translation>
    </message>
    <message>
        <source>stored file · %1</source>
        <translation>已存储文件 · %1</translation>
    </message>
</context>
<context>
    <name>StoreRepairText</name>
    <message>
        <source>Repaired copy of %1: missing rows: at most %2 (%3)</source>
        <translation>%1 的已修复副本：最多缺失 %2 行（%3）</translation>
    </message>
    <message>
        <source>Repaired copy of %1: missing rows: unknown number (%2)</source>
        <translation>%1 的已修复副本：缺失行数未知（%2）</translation>
    </message>
    <message>
        <source>Repaired copy of %1: no row is missing.</source>
        <translation>%1 的已修复副本：没有缺失任何行。</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>%1  %2 ± %3, residual %4, was %5</source>
        <translation>%1  %2 ± %3，残差 %4，原 %5</translation>
    </message>
    <message>
        <source>%1  %2 ± %3, residual %4, was %5, drifts</source>
        <translation>%1  %2 ± %3，残差 %4，原 %5，有漂移</translation>
    </message>
    <message>
        <source>%1 (%2 exposed)</source>
        <translation>%1（暴露 %2）</translation>
    </message>
    <message>
        <source>%1 (%2 exposed, %3 waiting)</source>
        <translation>%1（暴露 %2，等待 %3）</translation>
    </message>
    <message>
        <source>%1 (clocks agree to ± %2)</source>
        <translation>%1（时钟一致到 ± %2）</translation>
    </message>
    <message>
        <source>%1 (if their clocks are one: their nodes are not known)</source>
        <translation>%1（若其时钟为同一个：节点未知）</translation>
    </message>
    <message>
        <source>%1 (matched by their order: they have no numbers)</source>
        <translation>%1（按顺序匹配：没有编号）</translation>
    </message>
    <message>
        <source>%1 events and findings</source>
        <translation>%1 个事件与结论</translation>
    </message>
    <message>
        <source>%1 operations on %2 clocks: their ends are up to %3 apart, and %4 after these shifts</source>
        <translation>%2 个时钟上的 %1 个操作：结束时刻最多相差 %3，按此平移后相差 %4</translation>
    </message>
    <message>
        <source>%1 over %2 rank: compute %3, communication %4</source>
        <translation>%1，%2 个 rank：计算 %3，通信 %4</translation>
    </message>
    <message>
        <source>%1 over %2 ranks: compute %3, communication %4</source>
        <translation>%1，%2 个 rank：计算 %3，通信 %4</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>%1 spans named %2</source>
        <translation>%1 个名为 %2 的 span</translation>
    </message>
    <message>
        <source>%1 steps of rank %2</source>
        <translation>rank %2 的 %1 步</translation>
    </message>
    <message>
        <source>%1 with too few operations stay as they are</source>
        <translation>%1 个操作太少，保持不变</translation>
    </message>
    <message>
        <source>%1, copies %2</source>
        <translation>%1，拷贝 %2</translation>
    </message>
    <message>
        <source>%1, residual %2</source>
        <translation>%1，残差 %2</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1. Too many spans to look at all: narrow the area.</source>
        <translation>%1。span 太多，无法全部读取：请缩小区域。</translation>
    </message>
    <message>
        <source>%1; among the %2 members in the store</source>
        <translation>%1；在 store 中的 %2 个成员之内</translation>
    </message>
    <message>
        <source>%1; at least: %2 of its %3 members are in the store</source>
        <translation>%1；至少如此：%3 个成员中有 %2 个在 store 中</translation>
    </message>
    <message>
        <source>1 event or finding</source>
        <translation>1 个事件或结论</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 个 rank</translation>
    </message>
    <message>
        <source>Bus bandwidth, %1</source>
        <translation>总线带宽，%1</translation>
    </message>
    <message>
        <source>DP rank %1</source>
        <translation>DP rank %1</translation>
    </message>
    <message>
        <source>From its begin until the last member of the collective began</source>
        <translation>从它开始到集合通信最后一个成员开始</translation>
    </message>
    <message>
        <source>Its begin, counted from the begin of the chosen span</source>
        <translation>它的开始，从所选 span 的开始算起</translation>
    </message>
    <message>
        <source>No span in this area.</source>
        <translation>此区域没有 span。</translation>
    </message>
    <message>
        <source>Of its communication: before the last member of the collective began</source>
        <translation>属于通信：在集合通信最后一个成员开始之前</translation>
    </message>
    <message>
        <source>PP stage %1</source>
        <translation>PP stage %1</translation>
    </message>
    <message>
        <source>TP rank %1</source>
        <translation>TP rank %1</translation>
    </message>
    <message>
        <source>a rank has several calls of this number: waiting is unknown</source>
        <translation>某个 rank 有多个此编号的调用：等待未知</translation>
    </message>
    <message>
        <source>after this</source>
        <translation>相对开始</translation>
    </message>
    <message>
        <source>aligned by %1 collectives</source>
        <translation>按 %1 次集合通信对齐</translation>
    </message>
    <message>
        <source>aligned by collectives</source>
        <translation>按集合通信对齐</translation>
    </message>
    <message>
        <source>aligned by hand</source>
        <translation>手动对齐</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 项</translation>
    </message>
    <message>
        <source>arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>begins</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>bytes / duration</source>
        <translation>字节 / 时长</translation>
    </message>
    <message>
        <source>category</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>clocks as stamped</source>
        <translation>时钟按原始时间戳</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>correlation</source>
        <translation>correlation</translation>
    </message>
    <message>
        <source>count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>did not wait: it began with the last</source>
        <translation>没有等待：它与最后一个同时开始</translation>
    </message>
    <message>
        <source>did not wait: it ended before rank %1 began to receive</source>
        <translation>没有等待：它在 rank %1 开始接收之前已结束</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>exposed</source>
        <translation>暴露</translation>
    </message>
    <message>
        <source>external id</source>
        <translation>external id</translation>
    </message>
    <message>
        <source>group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>how</source>
        <translation>关系</translation>
    </message>
    <message>
        <source>it has no number, and its members&apos; calls cannot be paired: waiting is unknown</source>
        <translation>没有编号，且其成员的调用无法配对：等待未知</translation>
    </message>
    <message>
        <source>it names no communicator, and the ranks&apos; calls do not end together: waiting is unknown</source>
        <translation>未指明通信域，且各 rank 的调用不同时结束：等待未知</translation>
    </message>
    <message>
        <source>its clock is right to ± %1</source>
        <translation>其时钟误差 ± %1</translation>
    </message>
    <message>
        <source>its members ran different operations under this number: waiting is unknown</source>
        <translation>其成员在此编号下运行了不同操作：等待未知</translation>
    </message>
    <message>
        <source>launched by</source>
        <translation>由其启动</translation>
    </message>
    <message>
        <source>launches</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>longest</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>micro-batch</source>
        <translation>micro-batch</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>neither a step nor a time: &quot;%1&quot;</source>
        <translation>既不是步也不是时间：“%1”</translation>
    </message>
    <message>
        <source>no DP rank</source>
        <translation>无 DP rank</translation>
    </message>
    <message>
        <source>no PP stage</source>
        <translation>无 PP stage</translation>
    </message>
    <message>
        <source>no TP rank</source>
        <translation>无 TP rank</translation>
    </message>
    <message>
        <source>no other member&apos;s call is in the store: waiting is unknown</source>
        <translation>store 中没有其他成员的调用：等待未知</translation>
    </message>
    <message>
        <source>no spans</source>
        <translation>无 span</translation>
    </message>
    <message>
        <source>no step %1: no steps with times are stored</source>
        <translation>没有第 %1 步：没有存储带时间的步</translation>
    </message>
    <message>
        <source>no step %1: there are %2 to %3</source>
        <translation>没有第 %1 步：现有第 %2 至 %3 步</translation>
    </message>
    <message>
        <source>node %1</source>
        <translation>节点 %1</translation>
    </message>
    <message>
        <source>one member ended before another began: the clocks disagree, waiting is unknown</source>
        <translation>一个成员在另一个开始前已结束：时钟不一致，等待未知</translation>
    </message>
    <message>
        <source>open</source>
        <translation>未结束</translation>
    </message>
    <message>
        <source>operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>other end</source>
        <translation>另一端</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>rank %1 began %2 away by clocks that were never compared: the order is not certain</source>
        <translation>rank %1 的开始相差 %2，时钟从未比对：顺序不确定</translation>
    </message>
    <message>
        <source>rank %1 began %2 away; the clocks agree to ± %3 only: the order is not certain</source>
        <translation>rank %1 的开始相差 %2；时钟只一致到 ± %3：顺序不确定</translation>
    </message>
    <message>
        <source>same call</source>
        <translation>同一调用</translation>
    </message>
    <message>
        <source>same collective</source>
        <translation>同一集合通信</translation>
    </message>
    <message>
        <source>same launch</source>
        <translation>同一启动</translation>
    </message>
    <message>
        <source>seq</source>
        <translation>seq</translation>
    </message>
    <message>
        <source>shortest</source>
        <translation>最短</translation>
    </message>
    <message>
        <source>slow %1</source>
        <translation>慢 %1</translation>
    </message>
    <message>
        <source>slow %1: %2, median of %3 of its name on this row %4</source>
        <translation>慢 %1：%2，此行同名 %3 个的中位数 %4</translation>
    </message>
    <message>
        <source>slow step %1: %2, %3 compared with the median of %4 steps</source>
        <translation>慢步 %1：%2，与 %4 步的中位数相比 %3</translation>
    </message>
    <message>
        <source>slow: %1 against its peers</source>
        <translation>慢：相对同类 %1</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>still open</source>
        <translation>仍未结束</translation>
    </message>
    <message>
        <source>the last to begin: rank %1 waited longest for it, %2</source>
        <translation>最后开始：rank %1 等它最久，%2</translation>
    </message>
    <message>
        <source>the run</source>
        <translation>该 run</translation>
    </message>
    <message>
        <source>total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>waited</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>waited %1 for rank %2</source>
        <translation>等待 rank %2，%1</translation>
    </message>
    <message>
        <source>waited %1 of %2 for rank %3</source>
        <translation>%2 中有 %1 在等待 rank %3</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>waiting not separated: %1 spans on %2 tracks would have to be read, zoom in</source>
        <translation>未区分等待：需读取 %2 条轨道上的 %1 个 span，请放大</translation>
    </message>
    <message>
        <source>zoom in</source>
        <translation>请放大</translation>
    </message>
</context>
<context>
    <name>Topology</name>
    <message>
        <source>  ·  folded: a cell shows its worst rank</source>
        <translation>  ·  已折叠：单元显示其最差的 rank</translation>
    </message>
    <message>
        <source>%1 (%2 ranks)</source>
        <translation>%1（%2 个 rank）</translation>
    </message>
    <message>
        <source>%1 are at their median</source>
        <translation>%1 都等于中位数</translation>
    </message>
    <message>
        <source>%1 are at their stage&apos;s median</source>
        <translation>%1 都等于其 stage 的中位数</translation>
    </message>
    <message>
        <source>%1 are within %2 of their median</source>
        <translation>%1 与中位数相差不超过 %2</translation>
    </message>
    <message>
        <source>%1 are within %2 of their stage&apos;s median</source>
        <translation>%1 与其 stage 的中位数相差不超过 %2</translation>
    </message>
    <message>
        <source>%1 by %2</source>
        <translation>%1：依据%2</translation>
    </message>
    <message>
        <source>%1 communicators blocked</source>
        <translation>%1 个通信域阻塞</translation>
    </message>
    <message>
        <source>%1 do not run: %2</source>
        <translation>%1 未在运行：%2</translation>
    </message>
    <message>
        <source>%1 does not run: %2</source>
        <translation>%1 未在运行：%2</translation>
    </message>
    <message>
        <source>%1 in steps %2 to %3</source>
        <translation>%1，第 %2 至 %3 步</translation>
    </message>
    <message>
        <source>%1 median, %2 worst (%3, n = %4)</source>
        <translation>中位数 %1，最差 %2（%3，n = %4）</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 的 %1</translation>
    </message>
    <message>
        <source>%1 of %2 ranks blocked</source>
        <translation>%2 个 rank 中 %1 个阻塞</translation>
    </message>
    <message>
        <source>%1 of %2 ranks have a value; too few peers in each stage, or steps, to compare them</source>
        <translation>%2 个 rank 中 %1 个有值；各 stage 内同类或步数太少，无法比较</translation>
    </message>
    <message>
        <source>%1 of %2 ranks known; dotted places have none</source>
        <translation>%2 个 rank 中 %1 个已知；虚线位置没有</translation>
    </message>
    <message>
        <source>%1 of %2 ranks wait; rank %3 is not seen in %4, where %5 of %6 wait</source>
        <translation>%2 个 rank 中 %1 个在等待；rank %3 未出现在 %4 中，该处 %6 个中 %5 个在等待</translation>
    </message>
    <message>
        <source>%1 of %2 ranks wait; ranks %3 are not seen in %4, where %5 of %6 wait</source>
        <translation>%2 个 rank 中 %1 个在等待；rank %3 未出现在 %4 中，该处 %6 个中 %5 个在等待</translation>
    </message>
    <message>
        <source>%1 of micro-batch %2</source>
        <translation>micro-batch %2 的 %1</translation>
    </message>
    <message>
        <source>%1 of the critical path are in replica dp %2</source>
        <translation>关键路径的 %1 位于副本 dp %2</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>%1 ranks; none has a value for: %2</source>
        <translation>%1 个 rank；均无此值：%2</translation>
    </message>
    <message>
        <source>%1 step</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1 · stage %2 · dp %3</source>
        <translation>%1 · stage %2 · dp %3</translation>
    </message>
    <message>
        <source>%1, chunk %2</source>
        <translation>%1，chunk %2</translation>
    </message>
    <message>
        <source>%1, latest</source>
        <translation>%1，最新</translation>
    </message>
    <message>
        <source>%1; %2 more by at least %3</source>
        <translation>%1；另有 %2 个至少相差 %3</translation>
    </message>
    <message>
        <source>%1; %2 more by at least %3, all on %4</source>
        <translation>%1；另有 %2 个至少相差 %3，均在 %4 上</translation>
    </message>
    <message>
        <source>%1; %2 more contradictions</source>
        <translation>%1；另有 %2 处矛盾</translation>
    </message>
    <message>
        <source>; </source>
        <comment>between clauses</comment>
        <translation>；</translation>
    </message>
    <message>
        <source>A stage of replica dp %1 is not recorded</source>
        <translation>副本 dp %1 有一个 stage 未记录</translation>
    </message>
    <message>
        <source>All %1 ranks</source>
        <translation>全部 %1 个 rank</translation>
    </message>
    <message>
        <source>DP %1 across, PP %2 down</source>
        <translation>横向 DP %1，纵向 PP %2</translation>
    </message>
    <message>
        <source>EP %1 lies within these</source>
        <translation>EP %1 位于其中</translation>
    </message>
    <message>
        <source>Findings name %1 of %2 ranks; rank %3: %4</source>
        <translation>结论涉及 %2 个 rank 中 %1 个；rank %3：%4</translation>
    </message>
    <message>
        <source>GPU power, latest</source>
        <translation>GPU 功率，最新</translation>
    </message>
    <message>
        <source>GPU temperature, latest</source>
        <translation>GPU 温度，最新</translation>
    </message>
    <message>
        <source>No finding names one of the %1 ranks</source>
        <translation>%1 个 rank 均无相关结论</translation>
    </message>
    <message>
        <source>No place in the parallel layout is known: a plain grid by node. An order of ranks places them</source>
        <translation>并行布局中的位置未知：按节点平铺。指定 rank 顺序即可定位</translation>
    </message>
    <message>
        <source>No span of rank %1 names a step and one of its operations (forward, backward, …)</source>
        <translation>rank %1 没有 span 标明步及其操作（前向、反向 …）</translation>
    </message>
    <message>
        <source>Rank %1 draws %2 less power than its stage&apos;s median</source>
        <translation>rank %1 的功率比其 stage 中位数低 %2</translation>
    </message>
    <message>
        <source>Rank %1 draws %2 less power than the ranks&apos; median</source>
        <translation>rank %1 的功率比各 rank 中位数低 %2</translation>
    </message>
    <message>
        <source>Rank %1 is %2 above its stage&apos;s median</source>
        <translation>rank %1 比其 stage 中位数高 %2</translation>
    </message>
    <message>
        <source>Rank %1 is %2 above the ranks&apos; median</source>
        <translation>rank %1 比各 rank 中位数高 %2</translation>
    </message>
    <message>
        <source>Rank %1 is %2 behind its stage&apos;s median</source>
        <translation>rank %1 比其 stage 中位数落后 %2</translation>
    </message>
    <message>
        <source>Rank %1 is %2 behind the ranks&apos; median</source>
        <translation>rank %1 比各 rank 中位数落后 %2</translation>
    </message>
    <message>
        <source>Rank %1 is %2 hotter than its stage&apos;s median</source>
        <translation>rank %1 的温度比其 stage 中位数高 %2</translation>
    </message>
    <message>
        <source>Rank %1 is %2 hotter than the ranks&apos; median</source>
        <translation>rank %1 的温度比各 rank 中位数高 %2</translation>
    </message>
    <message>
        <source>Rank %1 is %2 slower than its stage&apos;s median</source>
        <translation>rank %1 比其 stage 中位数慢 %2</translation>
    </message>
    <message>
        <source>Rank %1 is %2 slower than the ranks&apos; median</source>
        <translation>rank %1 比各 rank 中位数慢 %2</translation>
    </message>
    <message>
        <source>Rank %1 is clocked %2 lower than its stage&apos;s median</source>
        <translation>rank %1 的频率比其 stage 中位数低 %2</translation>
    </message>
    <message>
        <source>Rank %1 is clocked %2 lower than the ranks&apos; median</source>
        <translation>rank %1 的频率比各 rank 中位数低 %2</translation>
    </message>
    <message>
        <source>Rank %1 reported %2 longer ago than its stage&apos;s median</source>
        <translation>rank %1 最近一次上报比其 stage 中位数早 %2</translation>
    </message>
    <message>
        <source>Rank %1 reported %2 longer ago than the ranks&apos; median</source>
        <translation>rank %1 最近一次上报比各 rank 中位数早 %2</translation>
    </message>
    <message>
        <source>Rank %1 waits %2 less than its stage&apos;s median</source>
        <translation>rank %1 的等待比其 stage 中位数少 %2</translation>
    </message>
    <message>
        <source>Rank %1 waits %2 less than the ranks&apos; median</source>
        <translation>rank %1 的等待比各 rank 中位数少 %2</translation>
    </message>
    <message>
        <source>Rank %1 works %2 longer than its stage&apos;s median</source>
        <translation>rank %1 的工作比其 stage 中位数长 %2</translation>
    </message>
    <message>
        <source>Rank %1 works %2 longer than the ranks&apos; median</source>
        <translation>rank %1 的工作比各 rank 中位数长 %2</translation>
    </message>
    <message>
        <source>SM clock, latest</source>
        <translation>SM 频率，最新</translation>
    </message>
    <message>
        <source>Stage %1 costs the step %2 more than the other stages</source>
        <translation>stage %1 使每步多耗时 %2（与其他 stage 相比）</translation>
    </message>
    <message>
        <source>Stage %1 draws %2 less power than the other stages</source>
        <translation>stage %1 的功率比其他 stage 低 %2</translation>
    </message>
    <message>
        <source>Stage %1 is %2 above the other stages</source>
        <translation>stage %1 比其他 stage 高 %2</translation>
    </message>
    <message>
        <source>Stage %1 is %2 behind the other stages</source>
        <translation>stage %1 比其他 stage 落后 %2</translation>
    </message>
    <message>
        <source>Stage %1 is %2 hotter than the other stages</source>
        <translation>stage %1 的温度比其他 stage 高 %2</translation>
    </message>
    <message>
        <source>Stage %1 is %2 slower than the other stages</source>
        <translation>stage %1 比其他 stage 慢 %2</translation>
    </message>
    <message>
        <source>Stage %1 is clocked %2 lower than the other stages</source>
        <translation>stage %1 的频率比其他 stage 低 %2</translation>
    </message>
    <message>
        <source>Stage %1 reported %2 longer ago than the other stages</source>
        <translation>stage %1 最近一次上报比其他 stage 早 %2</translation>
    </message>
    <message>
        <source>Stage %1 waits %2 less than the other stages</source>
        <translation>stage %1 的等待比其他 stage 少 %2</translation>
    </message>
    <message>
        <source>Stage %1 works %2 longer than the other stages</source>
        <translation>stage %1 的工作比其他 stage 长 %2</translation>
    </message>
    <message>
        <source>Step %1 does not fit together: %2</source>
        <translation>第 %1 步不完整：%2</translation>
    </message>
    <message>
        <source>The %1 of %2 ranks that have a value</source>
        <translation>%2 个 rank 中有值的 %1 个</translation>
    </message>
    <message>
        <source>The ranks of %1, replica %2 slow the step down by %3</source>
        <translation>%1、副本 %2 的 rank 使每步变慢 %3</translation>
    </message>
    <message>
        <source>The ranks&apos; places in the pipeline are not known; choose the order of ranks in the lattice</source>
        <translation>rank 在流水线中的位置未知；请在网格中选择 rank 的顺序</translation>
    </message>
    <message>
        <source>a collective</source>
        <translation>某集合通信</translation>
    </message>
    <message>
        <source>all inside, none leaves</source>
        <translation>全部进入，无一离开</translation>
    </message>
    <message>
        <source>all ranks</source>
        <translation>所有 rank</translation>
    </message>
    <message>
        <source>as NCCL says</source>
        <translation>NCCL 自报</translation>
    </message>
    <message>
        <source>completed by others, not by %1</source>
        <translation>已由其他成员完成，未完成：%1</translation>
    </message>
    <message>
        <source>computes</source>
        <translation>计算中</translation>
    </message>
    <message>
        <source>coordinates that another rank has, too</source>
        <translation>坐标与另一 rank 重复</translation>
    </message>
    <message>
        <source>coordinates too far apart to draw</source>
        <translation>坐标过于分散，无法绘制</translation>
    </message>
    <message>
        <source>findings that name it, worst severity</source>
        <translation>涉及它的结论，最高级别</translation>
    </message>
    <message>
        <source>from left to right: cp %1–%2</source>
        <translation>从左到右：cp %1–%2</translation>
    </message>
    <message>
        <source>from left to right: cp %1–%2, each with its ep %3–%4</source>
        <translation>从左到右：cp %1–%2，各含 ep %3–%4</translation>
    </message>
    <message>
        <source>from left to right: ep %1–%2</source>
        <translation>从左到右：ep %1–%2</translation>
    </message>
    <message>
        <source>group %1</source>
        <translation>组 %1</translation>
    </message>
    <message>
        <source>has not entered where the others wait</source>
        <translation>未进入其他 rank 等待之处</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>处于 %1</translation>
    </message>
    <message>
        <source>in a circle</source>
        <translation>循环等待</translation>
    </message>
    <message>
        <source>in a tile, top down: tp %1–%2</source>
        <translation>格内自上而下：tp %1–%2</translation>
    </message>
    <message>
        <source>its GPU is not known or does not report it</source>
        <translation>其 GPU 未知或未上报</translation>
    </message>
    <message>
        <source>its operations wait for each other</source>
        <translation>其操作互相等待</translation>
    </message>
    <message>
        <source>its progress names no step</source>
        <translation>其进度未指明步</translation>
    </message>
    <message>
        <source>its spans do not show what a step waited for</source>
        <translation>其 span 不显示步在等待什么</translation>
    </message>
    <message>
        <source>its step parts do not separate work from waiting</source>
        <translation>其步内各部分未区分工作与等待</translation>
    </message>
    <message>
        <source>last reported step</source>
        <translation>最近上报的步</translation>
    </message>
    <message>
        <source>missing ranks are not known</source>
        <translation>缺席的 rank 未知</translation>
    </message>
    <message>
        <source>missing: %1</source>
        <translation>缺席：%1</translation>
    </message>
    <message>
        <source>missing: %1, in %2</source>
        <translation>缺席：%1，位于 %2</translation>
    </message>
    <message>
        <source>missing: %1, in %2 and %3 more</source>
        <translation>缺席：%1，位于 %2 及另外 %3 个</translation>
    </message>
    <message>
        <source>neither it nor its GPU has a fresh, finite value of it</source>
        <translation>它及其 GPU 都没有该指标的最新有限值</translation>
    </message>
    <message>
        <source>no calls of it are in the store</source>
        <translation>store 中没有其调用</translation>
    </message>
    <message>
        <source>no communicator with these members is known</source>
        <translation>没有具有这些成员的通信域</translation>
    </message>
    <message>
        <source>no coordinates</source>
        <translation>无坐标</translation>
    </message>
    <message>
        <source>no data</source>
        <translation>无数据</translation>
    </message>
    <message>
        <source>no step time in the newest steps</source>
        <translation>最新的步没有步耗时</translation>
    </message>
    <message>
        <source>node not known</source>
        <translation>节点未知</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>none of its stages is complete</source>
        <translation>没有完整的 stage</translation>
    </message>
    <message>
        <source>nothing it said has a time</source>
        <translation>其上报均无时间</translation>
    </message>
    <message>
        <source>nothing moved for %1, as of %2</source>
        <translation>%1 没有进展，截至 %2</translation>
    </message>
    <message>
        <source>of %1 ranks only this replica&apos;s %2 were read: waiting for other replicas is not separated</source>
        <translation>%1 个 rank 中只读取了此副本的 %2 个：未区分对其他副本的等待</translation>
    </message>
    <message>
        <source>of the newest %1 of the run&apos;s spans</source>
        <translation>取自 run 最新 %1 的 span</translation>
    </message>
    <message>
        <source>operations of it are missing</source>
        <translation>有操作缺失</translation>
    </message>
    <message>
        <source>others call %1</source>
        <translation>其他成员调用 %1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>rank %1 (%2)</source>
        <translation>rank %1（%2）</translation>
    </message>
    <message>
        <source>ranks %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>root: %1</source>
        <translation>根源：%1</translation>
    </message>
    <message>
        <source>root: %1, in a circle of communicators that wait for each other</source>
        <translation>根源：%1，位于互相等待的通信域环中</translation>
    </message>
    <message>
        <source>root: %1, where %2 has not entered</source>
        <translation>根源：%1，%2 未进入</translation>
    </message>
    <message>
        <source>root: %1, where %2 have not entered</source>
        <translation>根源：%1，%2 未进入</translation>
    </message>
    <message>
        <source>root: %1, where all have entered and none leaves</source>
        <translation>根源：%1，全部已进入，无一离开</translation>
    </message>
    <message>
        <source>root: %1, which other members have completed and %2 has not</source>
        <translation>根源：%1，其他成员已完成，%2 未完成</translation>
    </message>
    <message>
        <source>root: %1, which other members have completed and %2 have not</source>
        <translation>根源：%1，其他成员已完成，%2 未完成</translation>
    </message>
    <message>
        <source>root: %1, which other members have completed and others have not</source>
        <translation>根源：%1，部分成员已完成，其余未完成</translation>
    </message>
    <message>
        <source>root: %1, which others call %2</source>
        <translation>根源：%1，其他成员调用的是 %2</translation>
    </message>
    <message>
        <source>sends without their receives, or micro-batches that are not recorded</source>
        <translation>send 没有对应的 recv，或有 micro-batch 未记录</translation>
    </message>
    <message>
        <source>silent</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>silent, others wait for it</source>
        <translation>失联，其他 rank 在等它</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>stage %1</translation>
    </message>
    <message>
        <source>step time, median of its newest steps</source>
        <translation>步耗时，最新各步的中位数</translation>
    </message>
    <message>
        <source>steps up to %1</source>
        <translation>步截至 %1</translation>
    </message>
    <message>
        <source>suspect: %1</source>
        <translation>嫌疑：%1</translation>
    </message>
    <message>
        <source>suspect: %1, stack in %2</source>
        <translation>嫌疑：%1，栈位于 %2</translation>
    </message>
    <message>
        <source>the watchdog had %1 left</source>
        <translation>watchdog 当时剩余 %1</translation>
    </message>
    <message>
        <source>the watchdog has aborted</source>
        <translation>watchdog 已中止作业</translation>
    </message>
    <message>
        <source>the watchdog is overdue</source>
        <translation>watchdog 已超时</translation>
    </message>
    <message>
        <source>time since its last report</source>
        <translation>距最近上报的时间</translation>
    </message>
    <message>
        <source>waiting, median of 50 steps</source>
        <translation>等待，50 步中位数</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>waits, at the root</source>
        <translation>等待中，位于根源</translation>
    </message>
    <message>
        <source>watchdog %1 (%2)</source>
        <translation>watchdog %1（%2）</translation>
    </message>
    <message>
        <source>watchdog aborts in %1</source>
        <translation>watchdog 将在 %1 后中止作业</translation>
    </message>
    <message>
        <source>what-if slowdown S_w of its stage and replica</source>
        <translation>其 stage 与副本的 what-if 变慢倍数 S_w</translation>
    </message>
    <message>
        <source>work (without waiting), median of its newest steps</source>
        <translation>工作（不含等待），最新各步的中位数</translation>
    </message>
    <message>
        <source>… (%1 in all)</source>
        <translation>…（共 %1 个）</translation>
    </message>
    <message>
        <source>⚠ %1: expected %2, found %3</source>
        <translation>⚠ %1：应为 %2，实为 %3</translation>
    </message>
</context>
<context>
    <name>Units</name>
    <message>
        <source>relative</source>
        <translation>相对</translation>
    </message>
</context>
<context>
    <name>ViewInfo</name>
    <message>
        <source>1–9, 0	metric
L	as a list, worst first
R	order: by rack or by rank
← → ↑ ↓	neighbouring GPU</source>
        <translation>1–9, 0	指标
L	列表，最差在前
R	顺序：按机架或按 rank
← → ↑ ↓	相邻 GPU</translation>
    </message>
    <message>
        <source>Any scalar or metric of any run against step or time; runs compared in one plot</source>
        <translation>任意 run 的标量或指标，按步或时间；多个 run 同图比较</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Conclusions of the analyses about the run, most urgent first</source>
        <translation>对该 run 的分析结论，最紧急的在前</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Data quality</source>
        <translation>数据质量</translation>
    </message>
    <message>
        <source>Data that arrived malformed, late or not at all, with counts and help; the size of the store</source>
        <translation>格式错误、迟到或缺失的数据，含计数与说明；store 的大小</translation>
    </message>
    <message>
        <source>Enter	move every view to the row
→ ←	open, close repeats
Esc	clear the search and filters</source>
        <translation>Enter	所有视图移到该行
→ ←	展开、收起重复项
Esc	清除搜索与筛选</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Every GPU and host now, outliers first; the chosen host in numbers and strips</source>
        <translation>当前所有 GPU 与主机，离群者在前；所选主机的数值与曲线条</translation>
    </message>
    <message>
        <source>Every run of the store with its state, layout, step, loss, throughput and health</source>
        <translation>store 中每个 run 的状态、布局、步、loss、吞吐与健康</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>I	anywhere: of the chosen finding or event
Shift+I	anywhere: of the selection and the shown time
↑ ↓	next entry of the list or timeline: every view goes there
F2	change the title or sentence
Ctrl+Enter	save the notes</source>
        <translation>I	任意处：按所选结论或事件
Shift+I	任意处：按选择与显示的时间
↑ ↓	列表或时间线的下一项：所有视图移到该处
F2	修改标题或摘要
Ctrl+Enter	保存备注</translation>
    </message>
    <message>
        <source>Incidents</source>
        <translation>事故</translation>
    </message>
    <message>
        <source>Incidents: cause, cost, timeline, evidence, suspects, notes; and the run log</source>
        <translation>事故：原因、损失、时间线、证据、嫌疑、备注；以及 run 日志</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Notifications that the hub sent, newest first; mute a cause or a rule</source>
        <translation>hub 发出的通知，最新在前；可按原因或规则静音</translation>
    </message>
    <message>
        <source>One run at a glance: loss, throughput, step time over ranks, events, the slowest nodes</source>
        <translation>单个 run 概览：loss、吞吐、各 rank 步耗时、事件、最慢节点</translation>
    </message>
    <message>
        <source>One timeline of hardware, log and training events, findings and notes: what happened, where, what it means and what to do</source>
        <translation>硬件、日志与训练事件、结论和备注的统一时间线：何事、何处、含义与处理</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>排名</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Run 列表</translation>
    </message>
    <message>
        <source>Slow ranks: own work against the ranks of the stage, worst first; rank × step in colour</source>
        <translation>慢 rank：自身工作与同 stage 的 rank 对比，最差在前；rank × 步热图</translation>
    </message>
    <message>
        <source>The DP × PP × TP lattice: ranks that deviate from their stage, groups, blocked ranks</source>
        <translation>DP × PP × TP 网格：偏离其 stage 的 rank、通信组、阻塞的 rank</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间轴</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>拓扑</translation>
    </message>
    <message>
        <source>Two attempts, or one before and after a step: parts of a step, curves, settings and nodes side by side</source>
        <translation>两个 attempt，或同一 attempt 某步前后：步内各部分、曲线、设置与节点并列对比</translation>
    </message>
    <message>
        <source>W S A D	zoom, pan
, .	previous, next span
[ ]	along its arrows
F	fit the selection
Shift+Z	fit the area
Home	to the begin
G	go to a step or time
N, Shift+N	next, previous event or finding, also slow step or slow span
M	write a note here
P	pin the rank under the pointer
Enter	open or close it; in the search: next hit
− +	lower, higher rows</source>
        <translation>W S A D	缩放、平移
, .	上一个、下一个 span
[ ]	沿箭头移动
F	适应选择
Shift+Z	适应区域
Home	到开头
G	转到步或时间
N, Shift+N	下一个、上一个事件或结论，以及慢步或慢 span
M	在此写备注
P	固定指针处的 rank
Enter	展开或收起；搜索中：下一个匹配
− +	降低、增高行</translation>
    </message>
    <message>
        <source>Watch</source>
        <translation>监视</translation>
    </message>
    <message>
        <source>What every rank did when, from a week to ten nanoseconds; spans, steps, launches and collective peers</source>
        <translation>每个 rank 何时在做什么，从一周到十纳秒；span、步、launch 与集合通信对端</translation>
    </message>
    <message>
        <source>X	plot against time or step</source>
        <translation>X	按时间或步作图</translation>
    </message>
    <message>
        <source>← → ↑ ↓	neighbouring cell of the heat map
Enter	the timeline at the worst step</source>
        <translation>← → ↑ ↓	热图的相邻单元
Enter	最差步处的时间轴</translation>
    </message>
    <message>
        <source>← → ↑ ↓	rank
Enter	its timeline
Esc	none</source>
        <translation>← → ↑ ↓	rank
Enter	其时间轴
Esc	取消选择</translation>
    </message>
</context>
<context>
    <name>WhatIf</name>
    <message>
        <source>%1 incomplete steps left out.</source>
        <translation>略去 %1 步：不完整。</translation>
    </message>
    <message>
        <source>%1 of steps left</source>
        <translation>剩余步需 %1</translation>
    </message>
    <message>
        <source>%1 replicas left out: a stage of them is missing.</source>
        <translation>略去 %1 个副本：缺少其中一个 stage。</translation>
    </message>
    <message>
        <source>%1 steps replayed, within %2 of the recording; %3 workers (dp, pp).</source>
        <translation>重放 %1 步，与记录相差 %2 以内；%3 个 worker（dp, pp）。</translation>
    </message>
    <message>
        <source>A step takes %1; if everything were as fast as it usually is, %2. %3 of the time is wasted.</source>
        <translation>每步耗时 %1；若一切都与平常一样快，则为 %2。%3 的时间被浪费。</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>GPU-hours a day, %1 GPUs</source>
        <translation>每天 GPU 小时，%1 个 GPU</translation>
    </message>
    <message>
        <source>GPU-hours of %1 steps</source>
        <translation>%1 步的 GPU 小时</translation>
    </message>
    <message>
        <source>Money a day</source>
        <translation>每天金额</translation>
    </message>
    <message>
        <source>Not available: %1.</source>
        <translation>不可用：%1。</translation>
    </message>
    <message>
        <source>Older spans were not read.</source>
        <translation>未读取更早的 span。</translation>
    </message>
    <message>
        <source>Ranks of one tensor- or context-parallel group cannot be separated.</source>
        <translation>同一张量或上下文并行组内的 rank 无法区分。</translation>
    </message>
    <message>
        <source>Sends and receives were not recorded: transfers between stages count as launch delay.</source>
        <translation>未记录 send 与 recv：stage 间传输计入启动延迟。</translation>
    </message>
    <message>
        <source>Slowdown S</source>
        <translation>变慢倍数 S</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>步耗时</translation>
    </message>
    <message>
        <source>Wasted time</source>
        <translation>浪费的时间</translation>
    </message>
    <message>
        <source>With the ticked items fixed, a step takes %1 instead of %2 (%3).</source>
        <translation>修复勾选项后，每步耗时 %1，原为 %2（%3）。</translation>
    </message>
    <message>
        <source>the run ended</source>
        <translation>run 已结束</translation>
    </message>
    <message>
        <source>unknown: %1 steps are planned</source>
        <translation>未知：计划了 %1 步</translation>
    </message>
    <message>
        <source>unknown: enter the price of a GPU-hour</source>
        <translation>未知：请输入每 GPU 小时价格</translation>
    </message>
    <message>
        <source>unknown: the planned number of steps is not recorded</source>
        <translation>未知：未记录计划的步数</translation>
    </message>
</context>
<context>
    <name>findings</name>
    <message>
        <source>, </source>
        <comment>list_separator</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>0 warnings or worse of the node or its devices in the window</source>
        <comment>ruled_out_no_warnings</comment>
        <translation>窗口内该节点及其设备没有警告或更严重的事件</translation>
    </message>
    <message>
        <source>A network link of {where} went down and came up again[ ({times} times)][; {symptoms}]</source>
        <comment>fault_link_flap</comment>
        <translation>{where} 的一条网络链路断开后恢复[（{times} 次）][；{symptoms}]</translation>
    </message>
    <message>
        <source>A process of {node}</source>
        <comment>job_failed_process</comment>
        <translation>{node} 的一个进程</translation>
    </message>
    <message>
        <source>After it, the run</source>
        <comment>compare_after_step</comment>
        <translation>此后该运行</translation>
    </message>
    <message>
        <source>All ranks wait for a CPU {share} of every step ({own} of {step}), {when}: more threads are ready to run than their nodes have cores[; {cost}]</source>
        <comment>slow_all_cpu</comment>
        <translation>所有 rank 就绪后每步仍等待 CPU {share}（{step} 中的 {own}），{when}：节点上运行的任务多于核数[；{cost}]</translation>
    </message>
    <message>
        <source>All ranks wait for data {share} of every step ({own} of {step}), {when}[; {cost}]</source>
        <comment>slow_all_data</comment>
        <translation>所有 rank 每步等待数据 {share}（{step} 中的 {own}），{when}[；{cost}]</translation>
    </message>
    <message>
        <source>Attempt {number}</source>
        <comment>compare_attempt_first</comment>
        <translation>attempt {number}</translation>
    </message>
    <message>
        <source>Communication of {ranks|# rank|# ranks} takes {own} a step against {before} before step {first}, without waiting; costs up to {cost} of every step: {port}</source>
        <comment>link_slow</comment>
        <translation>{ranks|# 个 rank} 的通信每步耗时 {own}，而第 {first} 步之前为 {before}（不含等待）；每步最多损失 {cost}：{port}</translation>
    </message>
    <message>
        <source>Data-parallel replica {replica} ({ranks|# rank|# ranks})</source>
        <comment>slow_replica</comment>
        <translation>数据并行副本 {replica}（{ranks|# 个 rank}）</translation>
    </message>
    <message>
        <source>Explained by another fault since: {what}</source>
        <comment>fault_explained</comment>
        <translation>已由之后的另一故障解释：{what}</translation>
    </message>
    <message>
        <source>GPU Direct RDMA is off on {nodes|# node|# nodes}</source>
        <comment>setting_gdr_off_nodes</comment>
        <translation>{nodes|# 个节点}上 GPU Direct RDMA 已关闭</translation>
    </message>
    <message>
        <source>GPU Direct RDMA is off on {node}</source>
        <comment>setting_gdr_off</comment>
        <translation>{node} 上 GPU Direct RDMA 已关闭</translation>
    </message>
    <message>
        <source>GPU streams of {devices|# device|# devices}[; those of {ranks|# rank|# ranks} were not read: their spans are too many]</source>
        <comment>idle_basis_spans</comment>
        <translation>{devices|# 个设备}的 GPU stream[；{ranks|# 个 rank} 的未读取：其 span 太多]</translation>
    </message>
    <message>
        <source>GPU {gpu} of {node}[ (rank {rank})]</source>
        <comment>fault_gpu</comment>
        <translation>{node} 的 GPU {gpu}[（rank {rank}）]</translation>
    </message>
    <message>
        <source>Garbage collections at different steps of {ranks|# rank|# ranks} delay all ranks since step {first}: {touched} of {steps} steps, {cost} of their time; collecting on all ranks in the same step would cost it once</source>
        <comment>gc_recorded</comment>
        <translation>自第 {first} 步起，{ranks|# 个 rank} 在不同步上的垃圾回收拖慢所有 rank：涉及 {steps} 步中的 {touched} 步，占其时间的 {cost}；若所有 rank 在同一步回收，则只付出一次代价</translation>
    </message>
    <message>
        <source>Gradient norm is {value} at step {first}[, {points|# point|# points} up to step {last}][; finite again at step {back}][ and {lasting}][; {scaler}][; first on rank {rank}][; found in {layer}]</source>
        <comment>loss_gradient_not_finite</comment>
        <translation>第 {first} 步梯度范数为 {value}[，到第 {last} 步共 {points|# 个点}][；第 {back} 步恢复有限][，{lasting}][；{scaler}][；最先出现在 rank {rank}][；位于 {layer}]</translation>
    </message>
    <message>
        <source>Gradient norm rose to {peak} against {baseline} at step {step}; the loss rose to {loss_peak} against {loss_baseline}, below the limit of a spike</source>
        <comment>loss_gradient_spike_rise</comment>
        <translation>第 {step} 步梯度范数升至 {peak}，基线 {baseline}；loss 升至 {loss_peak}，基线 {loss_baseline}，未达尖峰阈值</translation>
    </message>
    <message>
        <source>Gradient norm rose to {peak} against {baseline} at step {step}; the loss shows no spike</source>
        <comment>loss_gradient_spike</comment>
        <translation>第 {step} 步梯度范数升至 {peak}，基线 {baseline}；loss 无尖峰</translation>
    </message>
    <message>
        <source>Loss is {value} at step {first}[, {points|# point|# points} up to step {last}][; finite again at step {back}][ and {lasting}][; first on rank {rank}][; found in {layer}]</source>
        <comment>loss_not_finite</comment>
        <translation>第 {first} 步 loss 为 {value}[，到第 {last} 步共 {points|# 个点}][；第 {back} 步恢复有限][，{lasting}][；最先出现在 rank {rank}][；位于 {layer}]</translation>
    </message>
    <message>
        <source>Loss jumped to {peak} against {baseline} at step {step} and was not back within {within} points: its level is {level}[; back at step {back}][; {gradient}][, {regime}]</source>
        <comment>loss_jump</comment>
        <translation>第 {step} 步 loss 跳升至 {peak}，基线 {baseline}，{within} 个点内未恢复：其水平为 {level}[；第 {back} 步恢复][；{gradient}][，{regime}]</translation>
    </message>
    <message>
        <source>Loss of {peak} against {baseline} at step {step}, back at the next point</source>
        <comment>loss_blip</comment>
        <translation>第 {step} 步 loss 为 {peak}，基线 {baseline}，下一点即恢复</translation>
    </message>
    <message>
        <source>Loss rose to {peak} against {baseline} at step {step}, back at step {back}, {points|# point|# points}[; {gradient}][, {regime}]</source>
        <comment>loss_spike_back</comment>
        <translation>第 {step} 步 loss 升至 {peak}，基线 {baseline}，第 {back} 步恢复，{points|# 个点}[；{gradient}][，{regime}]</translation>
    </message>
    <message>
        <source>Loss rose to {peak} against {baseline} at step {step}, below the limit of a spike (at least {limit_z} robust sigma and {limit_percent} %): {z} robust sigma, {points|# point|# points}</source>
        <comment>loss_rise</comment>
        <translation>第 {step} 步 loss 升至 {peak}，基线 {baseline}，未达尖峰阈值（至少 {limit_z} 个稳健 σ 且 {limit_percent} %）：{z} 个稳健 σ，{points|# 个点}</translation>
    </message>
    <message>
        <source>Loss rose to {peak} against {baseline} at step {step}, more slowly than a spike: {z} robust sigma, {points|# point|# points}</source>
        <comment>loss_rise_gradual</comment>
        <translation>第 {step} 步 loss 升至 {peak}，基线 {baseline}，上升慢于尖峰：{z} 个稳健 σ，{points|# 个点}</translation>
    </message>
    <message>
        <source>Loss rose to {peak} against {baseline} at step {step}, not back after {points|# point|# points}[; {gradient}][, {regime}]</source>
        <comment>loss_spike</comment>
        <translation>第 {step} 步 loss 升至 {peak}，基线 {baseline}，{points|# 个点}后仍未恢复[；{gradient}][，{regime}]</translation>
    </message>
    <message>
        <source>MIG is on on every GPU of the job</source>
        <comment>setting_mig_on</comment>
        <translation>作业的每个 GPU 都开启了 MIG</translation>
    </message>
    <message>
        <source>Many nodes silent at once</source>
        <comment>title_many_silent</comment>
        <translation>多个节点同时失联</translation>
    </message>
    <message>
        <source>No difference beyond the noise: {mean_a} and {mean_b} a step (95 %: {low} to {high}).</source>
        <comment>compare_same</comment>
        <translation>没有超出噪声的差异：每步 {mean_a} 与 {mean_b}（95 %：{low} 至 {high}）。</translation>
    </message>
    <message>
        <source>No difference per token beyond the noise between {a} and {b} ({token_a} → {token_b} ns); step times are not comparable.</source>
        <comment>compare_same_per_token</comment>
        <translation>{a} 与 {b} 之间每 token 没有超出噪声的差异（{token_a} → {token_b} ns）；步时间不可比。</translation>
    </message>
    <message>
        <source>No rank has moved[ at step {step}][ for {length}]</source>
        <comment>hang_no_move</comment>
        <translation>所有 rank 均无进展[，停在第 {step} 步][，已持续 {length}]</translation>
    </message>
    <message>
        <source>No rank has moved[ at step {step}][ for {length}]; no rank reports a wait</source>
        <comment>hang_still</comment>
        <translation>所有 rank 均无进展[，停在第 {step} 步][，已持续 {length}]；没有 rank 报告等待</translation>
    </message>
    <message>
        <source>No step ended for {length}[ after step {step}][ (limit {limit})][; {source}]</source>
        <comment>stall_past</comment>
        <translation>[第 {step} 步之后]曾有 {length} 没有步完成[（上限 {limit}）][；{source}]</translation>
    </message>
    <message>
        <source>No step has ended for {length}[ since step {step}][ (limit {limit})][; {source}]</source>
        <comment>stall_now</comment>
        <translation>[自第 {step} 步起]已有 {length} 没有步完成[（上限 {limit}）][；{source}]</translation>
    </message>
    <message>
        <source>On {nodes|# node|# nodes} at once: {what}[, {times} times][; {symptoms}]</source>
        <comment>fault_on_nodes</comment>
        <translation>{nodes|# 个节点}同时出现：{what}[，{times} 次][；{symptoms}]</translation>
    </message>
    <message>
        <source>Pauses of single forward passes, as garbage collections make them, at different steps of {ranks|# rank|# ranks} delay all ranks since step {first}: {touched} of {steps} steps, {cost} of their time</source>
        <comment>gc_pauses</comment>
        <translation>自第 {first} 步起，{ranks|# 个 rank} 在不同步上出现单次前向的停顿（类似垃圾回收），拖慢所有 rank：涉及 {steps} 步中的 {touched} 步，占其时间的 {cost}</translation>
    </message>
    <message>
        <source>Pipeline stage {stage} of {stages}, takes longer than its share (explains {explained} of the slowdown): balanced, {gain}[; {doubt}]</source>
        <comment>straggler_stage</comment>
        <translation>流水线 stage {stage}（共 {stages} 个）耗时超过应占份额（解释了 {explained} 的减速）：若均衡，{gain}[；{doubt}]</translation>
    </message>
    <message>
        <source>Pipeline stage {stage}, the last of {stages}, takes longer than its share (explains {explained} of the slowdown): balanced, {gain}[; {doubt}]</source>
        <comment>straggler_stage_last</comment>
        <translation>流水线最后的 stage {stage}（共 {stages} 个）耗时超过应占份额（解释了 {explained} 的减速）：若均衡，{gain}[；{doubt}]</translation>
    </message>
    <message>
        <source>Pod {pod}[ ({node})]</source>
        <comment>pod_of_node</comment>
        <translation>Pod {pod}[（{node}）]</translation>
    </message>
    <message>
        <source>Rank {rank} (pod {pod}[, {node}])</source>
        <comment>pod_of_rank</comment>
        <translation>rank {rank}（pod {pod}[，{node}]）</translation>
    </message>
    <message>
        <source>Rank {rank}[ ({node})]</source>
        <comment>job_failed_rank</comment>
        <translation>rank {rank}[（{node}）]</translation>
    </message>
    <message>
        <source>Rank {rank}[ on {node}]</source>
        <comment>slow_rank</comment>
        <translation>[{node} 的 ]rank {rank}</translation>
    </message>
    <message>
        <source>SM clocks and their event reasons of no device were recorded</source>
        <comment>idle_no_clocks</comment>
        <translation>没有任何设备记录了 SM 时钟及其事件原因</translation>
    </message>
    <message>
        <source>SXid {code}, {meaning}</source>
        <comment>fault_sxid</comment>
        <translation>SXid {code}，{meaning}</translation>
    </message>
    <message>
        <source>Silent node</source>
        <comment>title_silent</comment>
        <translation>节点失联</translation>
    </message>
    <message>
        <source>Slow node {place}[, at step {at}][, from step {from}]</source>
        <comment>title_slow_node</comment>
        <translation>慢节点 {place}[，第 {at} 步][，自第 {from} 步起]</translation>
    </message>
    <message>
        <source>Slow ranks cannot be found among all: only {coverage} of the ranks recorded their step parts</source>
        <comment>parts_few</comment>
        <translation>无法在全部 rank 中查找慢 rank：只有 {coverage} 的 rank 记录了步内各部分耗时</translation>
    </message>
    <message>
        <source>Slow ranks cannot be found: step parts (forward, backward, communication and its waiting) were not recorded</source>
        <comment>parts_missing</comment>
        <translation>无法查找慢 rank：未记录步内各部分耗时（前向、反向、通信及其等待）</translation>
    </message>
    <message>
        <source>Slow {place}[, at step {at}][, from step {from}]</source>
        <comment>title_slow_rank</comment>
        <translation>变慢的 {place}[，第 {at} 步][，自第 {from} 步起]</translation>
    </message>
    <message>
        <source>Slow: {worker}[ and {more} more of the slowest 3 %], in {steps} of the steps; as fast as the others, {gain}</source>
        <comment>straggler_worker</comment>
        <translation>慢：{worker}[，以及最慢 3 % 中的另外 {more} 个]，出现于 {steps} 的步；若与其他一样快，{gain}</translation>
    </message>
    <message>
        <source>Stage {stage} ({ranks|# rank|# ranks})</source>
        <comment>slow_stage</comment>
        <translation>stage {stage}（{ranks|# 个 rank}）</translation>
    </message>
    <message>
        <source>Stage {stage} computes longer than the other stages: {own} a step against {others} (+{ratio}), {when}; {cost}</source>
        <comment>stage_longer</comment>
        <translation>stage {stage} 的计算时间长于其他 stage：每步 {own}，其他 {others}（+{ratio}），{when}；{cost}</translation>
    </message>
    <message>
        <source>Stage {stage} has become slower than the other stages: {own} a step against {others} (+{ratio}), {when}; {cost}</source>
        <comment>stage_became_slower</comment>
        <translation>stage {stage} 变得比其他 stage 慢：每步 {own}，其他 {others}（+{ratio}），{when}；{cost}</translation>
    </message>
    <message>
        <source>Step times of {a} and {b} are not comparable: {reason}.</source>
        <comment>compare_not_comparable</comment>
        <translation>{a} 与 {b} 的步时间不可比：{reason}。</translation>
    </message>
    <message>
        <source>Steps take {change} less since step {first}[, {restart}]: {before} before, {after} now[; {cause}]</source>
        <comment>shift_less_now</comment>
        <translation>自第 {first} 步起[（{restart}）]每步耗时减少 {change}：之前 {before}，现在 {after}[；{cause}]</translation>
    </message>
    <message>
        <source>Steps take {change} longer since step {first}[, {restart}]: {before} before, {after} now[; {cause}]</source>
        <comment>shift_longer_now</comment>
        <translation>自第 {first} 步起[（{restart}）]每步耗时增加 {change}：之前 {before}，现在 {after}[；{cause}]</translation>
    </message>
    <message>
        <source>Steps took {change} less from step {first}[, {restart}] to {last}: {before} before, {after} then[; {cause}]</source>
        <comment>shift_less_past</comment>
        <translation>第 {first} 至 {last} 步[（{restart}）]每步耗时减少 {change}：之前 {before}，其间 {after}[；{cause}]</translation>
    </message>
    <message>
        <source>Steps took {change} longer from step {first}[, {restart}] to {last}: {before} before, {after} then[; {cause}]</source>
        <comment>shift_longer_past</comment>
        <translation>第 {first} 至 {last} 步[（{restart}）]每步耗时增加 {change}：之前 {before}，其间 {after}[；{cause}]</translation>
    </message>
    <message>
        <source>Steps wait for another rank each time ({culprits} were the slowest at least once), {when}: lengths of sequences or loads of experts may differ; costs {cost} of the steps</source>
        <comment>wander_perhaps</comment>
        <translation>每步等待的 rank 各不相同（{culprits} 个 rank 至少有一次最慢），{when}：可能是序列长度或 expert 负载不均；损失 {cost} 的步时间</translation>
    </message>
    <message>
        <source>Steps wait for another rank each time ({culprits} were the slowest at least once), {when}: sequence lengths or experts&apos; loads differ, forward and backward are slow together; costs {cost} of the steps</source>
        <comment>wander_loads</comment>
        <translation>每步等待的 rank 各不相同（{culprits} 个 rank 至少有一次最慢），{when}：序列长度或 expert 负载不均，前向与反向同时变慢；损失 {cost} 的步时间</translation>
    </message>
    <message>
        <source>The job does not start: {pods} pods[ of group {group}] were created one after the other in {length}, none runs; {cause}</source>
        <comment>pod_churn</comment>
        <translation>作业无法启动：{length} 内先后创建了 {pods} 个 pod[（组 {group}）]，均未运行；{cause}</translation>
    </message>
    <message>
        <source>The job failed: {message}[; {others|# other rank|# other ranks} failed after it]</source>
        <comment>job_failed</comment>
        <translation>作业失败：{message}[；其后另有 {others|# 个 rank} 失败]</translation>
    </message>
    <message>
        <source>The log reports a value that is not finite: {line}[ ({lines} lines)]</source>
        <comment>loss_log</comment>
        <translation>日志报告非有限值：{line}[（{lines} 行）]</translation>
    </message>
    <message>
        <source>The loss drifts up: its level (median of 100 points) was {best} at step {best_step} and has been above it since step {first}, up to {worst}, now {level}</source>
        <comment>loss_divergence</comment>
        <translation>loss 向上漂移：其水平（100 点中位数）在第 {best_step} 步为 {best}，自第 {first} 步起一直高于该值，最高 {worst}，目前 {level}</translation>
    </message>
    <message>
        <source>The loss drifts up: its level (median of 100 points) was {best} at step {best_step} and has been above it since step {first}, up to {worst}; back at step {back}</source>
        <comment>loss_divergence_back</comment>
        <translation>loss 向上漂移：其水平（100 点中位数）在第 {best_step} 步为 {best}，自第 {first} 步起高于该值，最高 {worst}；第 {back} 步恢复</translation>
    </message>
    <message>
        <source>The loss is up to {worse} % worse than that of the attempt before at the same steps, from step {first} on</source>
        <comment>loss_replay</comment>
        <translation>自第 {first} 步起，loss 比前一 attempt 的相同步最多差 {worse} %</translation>
    </message>
    <message>
        <source>The loss is worse after the restart at step {first}: {after} over the first {points} points, {before} before[, {regime}]</source>
        <comment>loss_restart</comment>
        <translation>第 {first} 步重启后 loss 变差：最初 {points} 个点为 {after}，之前为 {before}[，{regime}]</translation>
    </message>
    <message>
        <source>The loss scale was lowered {halvings|# time|# times} between steps {first} and {last}, from {from} to {lowest}: gradients overflow again and again</source>
        <comment>loss_scale</comment>
        <translation>第 {first} 至 {last} 步之间 loss scale 被下调 {halvings|# 次}，由 {from} 降至 {lowest}：梯度反复溢出</translation>
    </message>
    <message>
        <source>The slowest replica changes from step to step and is {spread} slower than the mean one, forward and backward alike (correlation {correlation}): sequences of unequal length; with even passes, {gain}</source>
        <comment>straggler_sequences</comment>
        <translation>最慢的副本每步不同，且比平均副本慢 {spread}，前向与反向同步变化（相关系数 {correlation}）：序列长度不均；若均衡，{gain}</translation>
    </message>
    <message>
        <source>Too few steady steps to show a difference: {steps_a} and {steps_b}.</source>
        <comment>compare_few_steps</comment>
        <translation>稳定步太少，无法显示差异：{steps_a} 步和 {steps_b} 步。</translation>
    </message>
    <message>
        <source>Up to {share} % of {window} points had their gradient clipped at {clip}, between steps {first} and {last}</source>
        <comment>loss_clipped</comment>
        <translation>第 {first} 至 {last} 步之间，每 {window} 个点中最多 {share} % 的梯度按 {clip} 裁剪</translation>
    </message>
    <message>
        <source>Withdrawn: {what}</source>
        <comment>withdrawn</comment>
        <translation>已撤回：{what}</translation>
    </message>
    <message>
        <source>Work on the host delays all ranks {share} of every step ({own} of {step}), {when}[; {cost}]</source>
        <comment>slow_all_host</comment>
        <translation>所有 rank 每步被主机拖住 {share}（{step} 中的 {own}），{when}[；{cost}]</translation>
    </message>
    <message>
        <source>Xid {code}, {meaning}</source>
        <comment>fault_xid</comment>
        <translation>Xid {code}，{meaning}</translation>
    </message>
    <message>
        <source>[{author}: ]{text}</source>
        <comment>log_note</comment>
        <translation>[{author}：]{text}</translation>
    </message>
    <message>
        <source>[{delay}; ]{saturated} of {nodes|# node|# nodes} had no CPU to give (at least 95 % busy, or tasks waiting 80 % of the time), {share} of the time[; CPUs were {busy} busy on average][; {sample}]</source>
        <comment>idle_saturated</comment>
        <translation>[{delay}；]{nodes|# 个节点}中有 {saturated} 个没有空闲 CPU（至少 95 % 忙，或任务 80 % 的时间在等待），占 {share} 的时间[；CPU 平均繁忙 {busy}][；{sample}]</translation>
    </message>
    <message>
        <source>[{where}; of all: ]{portion}[ {meanwhile}][; most on rank {rank} in one step: {longest}]</source>
        <comment>idle_parts</comment>
        <translation>[{where}；总体：]{portion}[，{meanwhile}][；单步中最多的是 rank {rank}：{longest}]</translation>
    </message>
    <message>
        <source>[{where}; of all: ]{portion}[ {meanwhile}][; {stretches}][; {kernels}][; {launches}]</source>
        <comment>idle_spans</comment>
        <translation>[{where}；总体：]{portion}[，{meanwhile}][；{stretches}][；{kernels}][；{launches}]</translation>
    </message>
    <message>
        <source>a GPU of {node}[ (rank {rank})]</source>
        <comment>fault_some_gpu</comment>
        <translation>{node} 的某个 GPU[（rank {rank}）]</translation>
    </message>
    <message>
        <source>a collective</source>
        <comment>hang_collective</comment>
        <translation>某个集合通信</translation>
    </message>
    <message>
        <source>a hardware fault of {node}</source>
        <comment>ruled_out_fault</comment>
        <translation>{node} 的硬件故障</translation>
    </message>
    <message>
        <source>a node</source>
        <comment>fault_some_node</comment>
        <translation>某个节点</translation>
    </message>
    <message>
        <source>a step would take {fixed} instead of {now} ({saved}; {steps|# step|# steps} replayed)</source>
        <comment>straggler_gain</comment>
        <translation>每步将从 {now} 降至 {fixed}（{saved}；重放 {steps|# 步}）</translation>
    </message>
    <message>
        <source>after</source>
        <comment>compare_after</comment>
        <translation>之后</translation>
    </message>
    <message>
        <source>after kernels shorter than 10 µs, done before the next was issued</source>
        <comment>idle_while_small_kernels</comment>
        <translation>在短于 10 µs 的 kernel 之后，它们在下一个发出之前已完成</translation>
    </message>
    <message>
        <source>after the {what} went from {from} to {to} at step {step}</source>
        <comment>loss_regime</comment>
        <translation>此前第 {step} 步 {what} 由 {from} 变为 {to}</translation>
    </message>
    <message>
        <source>alert {rule}</source>
        <comment>log_alert_rule</comment>
        <translation>告警 {rule}</translation>
    </message>
    <message>
        <source>all ranks</source>
        <comment>cause_all_ranks</comment>
        <translation>所有 rank</translation>
    </message>
    <message>
        <source>all {count} ranks timed out, none ahead of the others</source>
        <comment>hang_unclear_all_timed_out</comment>
        <translation>{count} 个 rank 全部超时，没有哪个领先</translation>
    </message>
    <message>
        <source>attempt {number}</source>
        <comment>compare_attempt</comment>
        <translation>attempt {number}</translation>
    </message>
    <message>
        <source>attempt {number} ends[: {cause}]</source>
        <comment>log_attempt_ends</comment>
        <translation>attempt {number} 结束[：{cause}]</translation>
    </message>
    <message>
        <source>attempt {number} starts[, resumed from step {step}][; {nodes}]</source>
        <comment>log_attempt_starts</comment>
        <translation>attempt {number} 开始[，从第 {step} 步恢复][；{nodes}]</translation>
    </message>
    <message>
        <source>attempt {number}[ at step {step}][: {cause}][ ({planned})]</source>
        <comment>log_end</comment>
        <translation>attempt {number}[，第 {step} 步][：{cause}][（{planned}）]</translation>
    </message>
    <message>
        <source>attempt {number}[ resumes from step {step}][, {lost} steps are lost][, {gap} after the end][; another layout: {sizes}][; the one before ended by: {cause}][; {nodes}]</source>
        <comment>log_restart</comment>
        <translation>attempt {number}[ 从第 {step} 步恢复][，损失 {lost} 步][，在结束 {gap} 之后][；布局改变：{sizes}][；前一个结束的原因：{cause}][；{nodes}]</translation>
    </message>
    <message>
        <source>attempt {number}[, {framework}][, {sizes}][ on {machines}][; {facts}]</source>
        <comment>log_start</comment>
        <translation>attempt {number}[，{framework}][，{sizes}][，{machines}][；{facts}]</translation>
    </message>
    <message>
        <source>before</source>
        <comment>compare_before</comment>
        <translation>之前</translation>
    </message>
    <message>
        <source>before step {step}</source>
        <comment>compare_before_step</comment>
        <translation>第 {step} 步之前</translation>
    </message>
    <message>
        <source>before the next work was issued</source>
        <comment>idle_while_host_bound</comment>
        <translation>下一项工作尚未发出</translation>
    </message>
    <message>
        <source>behind</source>
        <comment>hang_behind</comment>
        <translation>落后</translation>
    </message>
    <message>
        <source>better: {finding}</source>
        <comment>log_better</comment>
        <translation>减轻：{finding}</translation>
    </message>
    <message>
        <source>between the launch call&apos;s begin and the work&apos;s</source>
        <comment>idle_while_launch</comment>
        <translation>处于启动调用开始与工作开始之间</translation>
    </message>
    <message>
        <source>checkpoint of step {step} begins; no record that it became durable</source>
        <comment>log_checkpoint_begins</comment>
        <translation>第 {step} 步的 checkpoint 开始保存，未见其落盘</translation>
    </message>
    <message>
        <source>checkpoint of step {step} is durable</source>
        <comment>log_checkpoint_durable</comment>
        <translation>第 {step} 步的 checkpoint 已落盘</translation>
    </message>
    <message>
        <source>compaction stalls of no node were recorded (/proc/vmstat)</source>
        <comment>idle_no_stalls</comment>
        <translation>没有任何节点记录了内存规整停顿（/proc/vmstat）</translation>
    </message>
    <message>
        <source>continues: {finding}</source>
        <comment>log_continues</comment>
        <translation>持续：{finding}</translation>
    </message>
    <message>
        <source>cost up to {cost} of every step</source>
        <comment>cost_up_to_past</comment>
        <translation>当时每步最多损失 {cost}</translation>
    </message>
    <message>
        <source>cost {cost} of every step</source>
        <comment>cost_past</comment>
        <translation>当时每步损失 {cost}</translation>
    </message>
    <message>
        <source>costs up to {cost} of every step</source>
        <comment>cost_up_to_now</comment>
        <translation>每步最多损失 {cost}</translation>
    </message>
    <message>
        <source>costs {cost} of every step</source>
        <comment>cost_now</comment>
        <translation>每步损失 {cost}</translation>
    </message>
    <message>
        <source>data-parallel replica {replica}</source>
        <comment>cause_replica</comment>
        <translation>数据并行副本 {replica}</translation>
    </message>
    <message>
        <source>end of attempt {attempt}[ ({cause})]</source>
        <comment>incident_end</comment>
        <translation>attempt {attempt} 结束[（{cause}）]</translation>
    </message>
    <message>
        <source>ended: {finding}</source>
        <comment>log_ended</comment>
        <translation>结束：{finding}</translation>
    </message>
    <message>
        <source>enqueued, not started</source>
        <comment>hang_enqueued</comment>
        <translation>已入队，尚未开始</translation>
    </message>
    <message>
        <source>every gap has a cause</source>
        <comment>idle_all_explained</comment>
        <translation>每段空闲都有原因</translation>
    </message>
    <message>
        <source>every moment of the steps is in a part</source>
        <comment>idle_all_in_parts</comment>
        <translation>步的每一时刻都属于某个部分</translation>
    </message>
    <message>
        <source>exit code {code}</source>
        <comment>exit_code</comment>
        <translation>退出码 {code}</translation>
    </message>
    <message>
        <source>explained by {cause}</source>
        <comment>shift_explained</comment>
        <translation>由 {cause} 解释</translation>
    </message>
    <message>
        <source>from step {first} to {last}</source>
        <comment>when_past</comment>
        <translation>从第 {first} 步到第 {last} 步</translation>
    </message>
    <message>
        <source>from the first recorded step to step {last}</source>
        <comment>when_from_start</comment>
        <translation>从观测的首步到第 {last} 步</translation>
    </message>
    <message>
        <source>garbage collections</source>
        <comment>cause_collections</comment>
        <translation>垃圾回收</translation>
    </message>
    <message>
        <source>global batch size {a} → {b}: step times are not comparable</source>
        <comment>compare_global_batch</comment>
        <translation>全局 batch size {a} → {b}：步时间不可比</translation>
    </message>
    <message>
        <source>group {group}</source>
        <comment>hang_group</comment>
        <translation>组 {group}</translation>
    </message>
    <message>
        <source>host time on {who}</source>
        <comment>cause_host</comment>
        <translation>{who} 上的主机时间</translation>
    </message>
    <message>
        <source>how long they took was not recorded</source>
        <comment>idle_stalls_no_length</comment>
        <translation>其时长未记录</translation>
    </message>
    <message>
        <source>in all recorded steps</source>
        <comment>when_always</comment>
        <translation>自开始观测其步以来一直如此</translation>
    </message>
    <message>
        <source>in calls that allocate or free memory, which wait for the device</source>
        <comment>idle_while_allocation</comment>
        <translation>处于分配或释放内存的调用中，这些调用会等待设备</translation>
    </message>
    <message>
        <source>in copy calls of the host, or from such a call to its copy</source>
        <comment>idle_while_copy_call</comment>
        <translation>处于主机的拷贝调用中，或从该调用到其拷贝之间</translation>
    </message>
    <message>
        <source>in no collective</source>
        <comment>hang_in_none</comment>
        <translation>不在任何集合通信中</translation>
    </message>
    <message>
        <source>in no collective, last completed #{seq}</source>
        <comment>hang_last_completed</comment>
        <translation>不在任何集合通信中，最后完成 #{seq}</translation>
    </message>
    <message>
        <source>in synchronisation calls or within 200 µs after them: the queue had run dry</source>
        <comment>idle_while_sync</comment>
        <translation>处于同步调用中或其后 200 µs 内：队列已空</translation>
    </message>
    <message>
        <source>in {op}</source>
        <comment>hang_in</comment>
        <translation>处于 {op}</translation>
    </message>
    <message>
        <source>incident, {state}</source>
        <comment>log_incident_state</comment>
        <translation>事故，{state}</translation>
    </message>
    <message>
        <source>init container[ {container}] fails: {text}</source>
        <comment>pod_churn_init</comment>
        <translation>init 容器[ {container} ]失败：{text}</translation>
    </message>
    <message>
        <source>it draws {own} W against {peers} W</source>
        <comment>machine_power</comment>
        <translation>其功耗为 {own} W，同类为 {peers} W</translation>
    </message>
    <message>
        <source>it is a link of {nodes}[ or {more|# other node|# other nodes}]</source>
        <comment>link_nodes</comment>
        <translation>是 {nodes} 的链路[，或另外 {more|# 个节点}的链路]</translation>
    </message>
    <message>
        <source>its SM clock is its peers&apos; ({clock} MHz)</source>
        <comment>machine_same_clock</comment>
        <translation>其 SM 频率与同类相同（{clock} MHz）</translation>
    </message>
    <message>
        <source>its SM clock is its peers&apos; ({clock} MHz), but it is {hotter} °C hotter</source>
        <comment>machine_same_clock_hotter</comment>
        <translation>其 SM 频率与同类相同（{clock} MHz），但温度高 {hotter} °C</translation>
    </message>
    <message>
        <source>its SM clock is its peers&apos; ({clock} MHz), its temperature too</source>
        <comment>machine_same_clock_heat</comment>
        <translation>其 SM 频率与同类相同（{clock} MHz），温度也相同</translation>
    </message>
    <message>
        <source>its SM clock is {own} MHz against {peers} MHz[, at {heat} °C against {peer_heat} °C]</source>
        <comment>machine_clock</comment>
        <translation>其 SM 频率为 {own} MHz，同类为 {peers} MHz[，温度 {heat} °C，同类 {peer_heat} °C]</translation>
    </message>
    <message>
        <source>its machine reported {event}</source>
        <comment>machine_fault</comment>
        <translation>其机器报告 {event}</translation>
    </message>
    <message>
        <source>judged: {kind}</source>
        <comment>log_judged</comment>
        <translation>判定：{kind}</translation>
    </message>
    <message>
        <source>launches cannot be matched with kernels: their calls are not recorded</source>
        <comment>idle_no_launches</comment>
        <translation>启动无法与 kernel 对应：其调用未记录</translation>
    </message>
    <message>
        <source>neither spans nor parts of steps were recorded</source>
        <comment>idle_no_spans_no_parts</comment>
        <translation>既没有记录 span，也没有记录步的各部分</translation>
    </message>
    <message>
        <source>neither spans of a device nor parts of steps were recorded, and no device utilisation either</source>
        <comment>idle_not_recorded</comment>
        <translation>既没有记录设备的 span，也没有记录步的各部分，也没有设备利用率</translation>
    </message>
    <message>
        <source>neither the run delay of a trainer&apos;s thread nor CPU use of a node was recorded</source>
        <comment>idle_no_cpu</comment>
        <translation>既没有记录训练线程的运行延迟，也没有记录节点的 CPU 使用率</translation>
    </message>
    <message>
        <source>no attempt</source>
        <comment>log_no_attempt</comment>
        <translation>没有 attempt</translation>
    </message>
    <message>
        <source>no comparison per token: batch size and sequence length are not known of both</source>
        <comment>compare_no_token</comment>
        <translation>无法按 token 比较：两侧的 batch size 和序列长度并非都已知</translation>
    </message>
    <message>
        <source>no other rank waited for it</source>
        <comment>cost_none_past</comment>
        <translation>当时没有其他 rank 等待它</translation>
    </message>
    <message>
        <source>no other rank waits for it</source>
        <comment>cost_none_now</comment>
        <translation>没有其他 rank 等待它</translation>
    </message>
    <message>
        <source>no port deviates[; {nodes}]</source>
        <comment>link_no_port</comment>
        <translation>没有异常端口[；{nodes}]</translation>
    </message>
    <message>
        <source>no port&apos;s counters were recorded, so that the link cannot be named[; {nodes}]</source>
        <comment>link_no_counters</comment>
        <translation>未记录任何端口的计数器，无法指明链路[；{nodes}]</translation>
    </message>
    <message>
        <source>no progress of the other members is recorded</source>
        <comment>hang_unclear_no_progress</comment>
        <translation>其他成员的进度未记录</translation>
    </message>
    <message>
        <source>no rank deviates among the {coverage} with recorded step parts</source>
        <comment>shift_no_rank_of_few</comment>
        <translation>在记录了步内耗时的 {coverage} 的 rank 中没有偏离者</translation>
    </message>
    <message>
        <source>no rank deviates: check clocks, power caps, storage, network or the software itself</source>
        <comment>shift_no_rank</comment>
        <translation>没有偏离的 rank：请检查时钟频率、功率上限、存储、网络或软件本身</translation>
    </message>
    <message>
        <source>no rank recorded a part &quot;{part}&quot;</source>
        <comment>idle_part_not_recorded</comment>
        <translation>没有 rank 记录 &quot;{part}&quot; 部分</translation>
    </message>
    <message>
        <source>no record that step {step} became durable</source>
        <comment>log_not_durable</comment>
        <translation>未见第 {step} 步落盘</translation>
    </message>
    <message>
        <source>no span of the threads that launch names a collection</source>
        <comment>idle_no_gc_span</comment>
        <translation>发出启动的线程中没有垃圾回收的 span</translation>
    </message>
    <message>
        <source>no span of the threads that launch names a data loader</source>
        <comment>idle_no_data_span</comment>
        <translation>发出启动的线程中没有名为 data loader 的 span</translation>
    </message>
    <message>
        <source>no span of the threads that launch names a save</source>
        <comment>idle_no_save_span</comment>
        <translation>发出启动的线程中没有保存的 span</translation>
    </message>
    <message>
        <source>no span of the threads that launch names logging</source>
        <comment>idle_no_logging_span</comment>
        <translation>发出启动的线程中没有日志记录的 span</translation>
    </message>
    <message>
        <source>no spans and no step parts are recorded to explain idle devices</source>
        <comment>idle_metric_only</comment>
        <translation>没有可解释设备空闲的 span 或步的各部分记录</translation>
    </message>
    <message>
        <source>no spans of all work of a GPU&apos;s streams were recorded</source>
        <comment>idle_no_full_spans</comment>
        <translation>没有记录 GPU stream 全部工作的 span</translation>
    </message>
    <message>
        <source>no spike, no drift and no value that is not finite in the window</source>
        <comment>ruled_out_no_loss_finding</comment>
        <translation>窗口内没有尖峰、漂移或非有限值</translation>
    </message>
    <message>
        <source>node {node}</source>
        <comment>node_number</comment>
        <translation>节点 {node}</translation>
    </message>
    <message>
        <source>not planned</source>
        <comment>log_not_planned</comment>
        <translation>非计划内</translation>
    </message>
    <message>
        <source>note[ of {author}]</source>
        <comment>log_note_of</comment>
        <translation>[{author} 的]备注</translation>
    </message>
    <message>
        <source>only log lines are recorded</source>
        <comment>stall_log</comment>
        <translation>只记录了日志行</translation>
    </message>
    <message>
        <source>only one rank reports progress</source>
        <comment>hang_unclear_one_rank</comment>
        <translation>只有一个 rank 报告进度</translation>
    </message>
    <message>
        <source>only {count} of {world|# rank|# ranks} {count|has|have} a dump</source>
        <comment>hang_unclear_no_dumps</comment>
        <translation>{world|# 个 rank}中只有 {count|# 个}有 dump</translation>
    </message>
    <message>
        <source>others</source>
        <comment>setting_others</comment>
        <translation>其他值</translation>
    </message>
    <message>
        <source>outlier in the ranking</source>
        <comment>suspect_outlier</comment>
        <translation>在排名中偏离</translation>
    </message>
    <message>
        <source>own work of rank {rank}[ on {node}] is {change} longer</source>
        <comment>compare_longer_work</comment>
        <translation>[{node} 上的 ]rank {rank} 自身工作时间长 {change}</translation>
    </message>
    <message>
        <source>planned</source>
        <comment>log_planned</comment>
        <translation>计划内</translation>
    </message>
    <message>
        <source>published: {finding}</source>
        <comment>log_published</comment>
        <translation>发布：{finding}</translation>
    </message>
    <message>
        <source>rank {rank}</source>
        <comment>cause_rank</comment>
        <translation>rank {rank}</translation>
    </message>
    <message>
        <source>rank {rank} (dp {dp}, pp {pp})</source>
        <comment>worker_rank</comment>
        <translation>rank {rank}（dp {dp}，pp {pp}）</translation>
    </message>
    <message>
        <source>rank {rank} or a tensor- or context-parallel peer of it (not separable) (dp {dp}, pp {pp})</source>
        <comment>worker_folded</comment>
        <translation>rank {rank} 或其张量/上下文并行同组（不可区分）（dp {dp}，pp {pp}）</translation>
    </message>
    <message>
        <source>rank {rank}[ on {node}]</source>
        <comment>place_rank</comment>
        <translation>[{node} 上的 ]rank {rank}</translation>
    </message>
    <message>
        <source>sample: {count} of {total|# device|# devices}</source>
        <comment>idle_sample_devices</comment>
        <translation>检查了 {total|# 个设备}中的 {count} 个</translation>
    </message>
    <message>
        <source>sample: {count} of {total|# node|# nodes}</source>
        <comment>idle_sample_nodes</comment>
        <translation>检查了 {total|# 个节点}中的 {count} 个</translation>
    </message>
    <message>
        <source>sequence length {a} → {b}: step times are not comparable</source>
        <comment>compare_sequence</comment>
        <translation>序列长度 {a} → {b}：步时间不可比</translation>
    </message>
    <message>
        <source>several nodes</source>
        <comment>fault_several_nodes</comment>
        <translation>多个节点</translation>
    </message>
    <message>
        <source>silent</source>
        <comment>hang_silent</comment>
        <translation>失联</translation>
    </message>
    <message>
        <source>since step {first}</source>
        <comment>when_since</comment>
        <translation>自第 {first} 步起</translation>
    </message>
    <message>
        <source>slower computing on {who}</source>
        <comment>cause_computing</comment>
        <translation>{who} 上计算变慢</translation>
    </message>
    <message>
        <source>slower transfers</source>
        <comment>cause_links</comment>
        <translation>传输变慢</translation>
    </message>
    <message>
        <source>slower transfers through {port}</source>
        <comment>cause_link</comment>
        <translation>经 {port} 的传输变慢</translation>
    </message>
    <message>
        <source>stack in {frames}, {count|# other rank|# other ranks} in {common}</source>
        <comment>hang_stacks</comment>
        <translation>调用栈位于 {frames}，其余 {count|# 个 rank} 位于 {common}</translation>
    </message>
    <message>
        <source>stage {stage}</source>
        <comment>cause_stage</comment>
        <translation>stage {stage}</translation>
    </message>
    <message>
        <source>stays so</source>
        <comment>loss_lasting</comment>
        <translation>此后一直如此</translation>
    </message>
    <message>
        <source>step parts of {ranks|# rank|# ranks}</source>
        <comment>idle_basis_parts</comment>
        <translation>{ranks|# 个 rank} 的步的各部分</translation>
    </message>
    <message>
        <source>step {step} is durable</source>
        <comment>log_durable</comment>
        <translation>第 {step} 步已落盘</translation>
    </message>
    <message>
        <source>still in [{op} ]#{seq}</source>
        <comment>hang_still_in</comment>
        <translation>仍处于 [{op} ]#{seq}</translation>
    </message>
    <message>
        <source>tasks waited for memory {share} of the time meanwhile</source>
        <comment>idle_stalls_share</comment>
        <translation>其间任务有 {share} 的时间在等待内存</translation>
    </message>
    <message>
        <source>the first after a restart</source>
        <comment>shift_restart</comment>
        <translation>重启后的首步</translation>
    </message>
    <message>
        <source>the gradient norm left its level at the same step</source>
        <comment>loss_gradient_with</comment>
        <translation>梯度范数同时偏离其水平</translation>
    </message>
    <message>
        <source>the gradient norm left its level {steps|# step|# steps} after</source>
        <comment>loss_gradient_after</comment>
        <translation>梯度范数在 {steps|# 步}之后偏离其水平</translation>
    </message>
    <message>
        <source>the gradient norm left its level {steps|# step|# steps} before</source>
        <comment>loss_gradient_before</comment>
        <translation>梯度范数在 {steps|# 步}之前偏离其水平</translation>
    </message>
    <message>
        <source>the kernel killed {process} (pid {pid}) at the memory limit of its control group</source>
        <comment>killed_memory_limit</comment>
        <translation>内核因控制组达到内存上限而终止了 {process}（pid {pid}）</translation>
    </message>
    <message>
        <source>the kernel killed {process} (pid {pid}) because the node&apos;s memory ran out</source>
        <comment>killed_memory</comment>
        <translation>内核因节点内存耗尽而终止了 {process}（pid {pid}）</translation>
    </message>
    <message>
        <source>the log names no rank</source>
        <comment>hang_unclear_no_rank</comment>
        <translation>日志未指明 rank</translation>
    </message>
    <message>
        <source>the loss</source>
        <comment>ruled_out_loss</comment>
        <translation>loss</translation>
    </message>
    <message>
        <source>the loss scale was lowered</source>
        <comment>loss_scale_lowered</comment>
        <translation>loss scale 因此下调</translation>
    </message>
    <message>
        <source>the members of its communicator are not recorded</source>
        <comment>hang_unclear_no_members</comment>
        <translation>其通信域的成员未记录</translation>
    </message>
    <message>
        <source>the optimizer skipped the step</source>
        <comment>loss_step_skipped</comment>
        <translation>优化器因此跳过该步</translation>
    </message>
    <message>
        <source>the other ranks</source>
        <comment>ruled_out_others</comment>
        <translation>其他 rank</translation>
    </message>
    <message>
        <source>the port</source>
        <comment>link_port</comment>
        <translation>该端口</translation>
    </message>
    <message>
        <source>the ranks report neither communicator nor peer of it</source>
        <comment>hang_unclear_no_group</comment>
        <translation>各 rank 未报告其通信域或对端</translation>
    </message>
    <message>
        <source>the ranks that wait</source>
        <comment>ruled_out_blocked</comment>
        <translation>等待中的 rank</translation>
    </message>
    <message>
        <source>the ranks timed out in different collectives</source>
        <comment>hang_unclear_several</comment>
        <translation>各 rank 在不同的集合通信中超时</translation>
    </message>
    <message>
        <source>the run has no attempt</source>
        <comment>idle_no_attempt</comment>
        <translation>该运行没有 attempt</translation>
    </message>
    <message>
        <source>the spans of the devices are of some of their work only, no step has parts and no device utilisation is recorded</source>
        <comment>idle_partial_spans</comment>
        <translation>设备的 span 只覆盖其部分工作，没有步的各部分，也没有记录设备利用率</translation>
    </message>
    <message>
        <source>the training thread was ready and had no CPU for {share} of the steps</source>
        <comment>idle_run_delay</comment>
        <translation>训练线程就绪但没有 CPU 的时间占步时间的 {share}</translation>
    </message>
    <message>
        <source>the waiting of communication: what of a step is in no part may be that</source>
        <comment>idle_no_waits</comment>
        <translation>通信的等待：步中不属于任何部分的时间可能是它</translation>
    </message>
    <message>
        <source>timeouts of only {count} of {world} ranks are recorded</source>
        <comment>hang_unclear_few_timed_out</comment>
        <translation>只记录到 {world} 个 rank 中 {count} 个的超时</translation>
    </message>
    <message>
        <source>uneven loads</source>
        <comment>cause_loads</comment>
        <translation>负载不均</translation>
    </message>
    <message>
        <source>waits for data on {who}</source>
        <comment>cause_data</comment>
        <translation>{who} 上等待数据</translation>
    </message>
    <message>
        <source>while Python collected garbage</source>
        <comment>idle_while_gc</comment>
        <translation>期间 Python 在进行垃圾回收</translation>
    </message>
    <message>
        <source>while a checkpoint was saved</source>
        <comment>idle_while_checkpoint</comment>
        <translation>期间在保存 checkpoint</translation>
    </message>
    <message>
        <source>while logs or metrics were reported</source>
        <comment>idle_while_logging</comment>
        <translation>期间在上报日志或指标</translation>
    </message>
    <message>
        <source>while waiting for a batch of the data loader</source>
        <comment>idle_while_data</comment>
        <translation>期间在向 data loader 请求 batch</translation>
    </message>
    <message>
        <source>with one replica a slow rank looks the same</source>
        <comment>straggler_one_replica</comment>
        <translation>只有一个副本时，慢 rank 看起来也是如此</translation>
    </message>
    <message>
        <source>with work issued that had not begun: kernels close together, streams that wait for others, or work that was not recorded</source>
        <comment>idle_while_queued</comment>
        <translation>工作已发出但尚未开始：kernel 间隔很小、stream 在等待其他 stream，或工作未被记录</translation>
    </message>
    <message>
        <source>world size {a} → {b}: step times are not comparable</source>
        <comment>compare_world</comment>
        <translation>world size {a} → {b}：步时间不可比</translation>
    </message>
    <message>
        <source>worse: {finding}</source>
        <comment>log_worse</comment>
        <translation>加重：{finding}</translation>
    </message>
    <message>
        <source>{attempts}[, {kept} steps kept, {lost} lost][; {ratio} of {wall} made progress]</source>
        <comment>log_summary</comment>
        <translation>{attempts}[，保留 {kept} 步，损失 {lost} 步][；{wall} 中有 {ratio} 取得进展]</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks timed out in collectives[ at step {step}]; {count|rank|ranks} {ranks}[ ({node})] did not</source>
        <comment>hang_timed_out</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在集合通信中超时；rank {ranks}[（{node}）]没有超时</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks timed out in collectives[ at step {step}]; {count|rank|ranks} {ranks}[ ({node})] {count|is|are} furthest behind</source>
        <comment>hang_timed_out_behind</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在集合通信中超时；rank {ranks}[（{node}）]落后最多</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait for others</source>
        <comment>ruled_out_blocked_ranks</comment>
        <translation>{world} 个 rank 中有 {blocked} 个在等待其他 rank</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait[ at step {step}]</source>
        <comment>hang_wait</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在等待</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, where {count|rank|ranks} {ranks}[ ({node})] {count|calls|call} {other}: the program does not do the same on all ranks</source>
        <comment>hang_mismatched_ranks</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在等待；根源：{operation}，其中 rank {ranks}[（{node}）]调用的是 {other}：各 rank 上的程序行为不一致</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, where {count|rank|ranks} {ranks}[ ({node})] {count|passes|pass} {size} and the others {usual}: the program does not do the same on all ranks</source>
        <comment>hang_mismatched_sizes</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在等待；根源：{operation}，其中 rank {ranks}[（{node}）]传入 {size}，其余传入 {usual}：各 rank 上的程序行为不一致</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, where {late}[; {stacks}]</source>
        <comment>hang_missing</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在等待；根源：{operation}，其中 {late}[；{stacks}]</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, which other members have completed and {late}[; {stacks}]</source>
        <comment>hang_not_left</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在等待；根源：{operation}，其他成员已完成，而 {late}[；{stacks}]</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, which others call {other}: the program does not do the same on all ranks</source>
        <comment>hang_mismatched</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在等待；根源：{operation}，而其他 rank 调用的是 {other}：各 rank 上的程序行为不一致</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait[ at step {step}]; root: {operation}: all {members} members have entered and none leaves (network or GPU)</source>
        <comment>hang_stuck</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在等待；根源：{operation}：{members} 个成员全部进入，却无一离开（网络或 GPU）</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait[ at step {step}]; root: {operation}: communicators wait for each other in a cycle</source>
        <comment>hang_deadlock</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在等待；根源：{operation}：通信域之间循环等待</translation>
    </message>
    <message>
        <source>{blocked} of {world} ranks wait[ at step {step}]; root: {operation}; missing ranks are not known: {reason}</source>
        <comment>hang_missing_unknown</comment>
        <translation>[第 {step} 步，]{world} 个 rank 中 {blocked} 个在等待；根源：{operation}；缺席的 rank 未知：{reason}</translation>
    </message>
    <message>
        <source>{b} is {change} faster than {a}: {mean_a} → {mean_b} a step[; {part}][; {longer}].</source>
        <comment>compare_faster</comment>
        <translation>{b} 比 {a} 快 {change}：每步 {mean_a} → {mean_b}[；{part}][；{longer}]。</translation>
    </message>
    <message>
        <source>{b} is {change} slower than {a}: {mean_a} → {mean_b} a step[; {part}][; {longer}].</source>
        <comment>compare_slower</comment>
        <translation>{b} 比 {a} 慢 {change}：每步 {mean_a} → {mean_b}[；{part}][；{longer}]。</translation>
    </message>
    <message>
        <source>{b} takes {change} less time per token than {a} ({token_a} → {token_b} ns); step times are not comparable.</source>
        <comment>compare_token_less</comment>
        <translation>{b} 每 token 所需时间比 {a} 少 {change}（{token_a} → {token_b} ns）；步时间不可比。</translation>
    </message>
    <message>
        <source>{b} takes {change} longer per token than {a} ({token_a} → {token_b} ns); step times are not comparable.</source>
        <comment>compare_token_longer</comment>
        <translation>{b} 每 token 所需时间比 {a} 长 {change}（{token_a} → {token_b} ns）；步时间不可比。</translation>
    </message>
    <message>
        <source>{cause}: {cost} of a step, which does not explain it</source>
        <comment>shift_partly</comment>
        <translation>{cause}：占每步 {cost}，不足以解释</translation>
    </message>
    <message>
        <source>{code}[: {text}]</source>
        <comment>pod_churn_other</comment>
        <translation>{code}[：{text}]</translation>
    </message>
    <message>
        <source>{count|# attempt|# attempts}</source>
        <comment>log_attempts</comment>
        <translation>{count|# 个 attempt}</translation>
    </message>
    <message>
        <source>{count|# byte|# bytes}</source>
        <comment>hang_bytes</comment>
        <translation>{count} 字节</translation>
    </message>
    <message>
        <source>{count|# capture|# captures}[ ({reason})]</source>
        <comment>log_captures</comment>
        <translation>{count|# 次捕获}[（{reason}）]</translation>
    </message>
    <message>
        <source>{count|# collective timeout|# collective timeouts}[ at step {step}]; missing ranks are not known: {reason}</source>
        <comment>hang_time_outs</comment>
        <translation>{count|# 次集合通信超时}[，第 {step} 步]；缺席者未知：{reason}</translation>
    </message>
    <message>
        <source>{count|# element|# elements}</source>
        <comment>hang_elements</comment>
        <translation>{count} 个元素</translation>
    </message>
    <message>
        <source>{count|# rank|# ranks} timed out, and the number of ranks is not recorded</source>
        <comment>hang_unclear_world</comment>
        <translation>有 {count} 个 rank 超时，而 rank 总数没有记录</translation>
    </message>
    <message>
        <source>{count|# symptom|# secondary symptoms} ({kinds})</source>
        <comment>fault_symptoms</comment>
        <translation>{count|# 个次生现象}（{kinds}）</translation>
    </message>
    <message>
        <source>{count|rank|ranks} {ranks}[ ({node})] {count|has|have} not</source>
        <comment>hang_not_left_ranks</comment>
        <translation>rank {ranks}[（{node}）]尚未完成</translation>
    </message>
    <message>
        <source>{count|rank|ranks} {ranks}[ ({node})] {count|has|have} not entered[: {doing}]</source>
        <comment>hang_late_ranks</comment>
        <translation>rank {ranks}[（{node}）]尚未进入[：{doing}]</translation>
    </message>
    <message>
        <source>{count} durable, steps {first} to {last}</source>
        <comment>log_durable_several</comment>
        <translation>{count} 个已落盘，第 {first} 至 {last} 步</translation>
    </message>
    <message>
        <source>{count} of {reported} are as fast as their peers in steps {first} to {last}</source>
        <comment>ruled_out_as_fast</comment>
        <translation>{reported} 个中有 {count} 个在第 {first} 至 {last} 步与同伴一样快</translation>
    </message>
    <message>
        <source>{count} stretches a step, the longest {longest}</source>
        <comment>idle_stretches_a_step</comment>
        <translation>每步 {count} 段，最长 {longest}</translation>
    </message>
    <message>
        <source>{count} stretches, the longest {longest}</source>
        <comment>idle_stretches</comment>
        <translation>{count} 段，最长 {longest}</translation>
    </message>
    <message>
        <source>{count} waits for memory compaction on {nodes|# node|# nodes}[, {fallbacks} page faults found no huge page]; {length}[; {sample}]</source>
        <comment>idle_stalls</comment>
        <translation>{nodes|# 个节点}上有 {count} 次等待内存规整[，{fallbacks} 次缺页未找到大页]；{length}[；{sample}]</translation>
    </message>
    <message>
        <source>{count} {kind}</source>
        <comment>fault_counted</comment>
        <translation>{count} 次 {kind}</translation>
    </message>
    <message>
        <source>{count} × {kind}</source>
        <comment>incident_several</comment>
        <translation>{count} × {kind}</translation>
    </message>
    <message>
        <source>{count} × {kind}[ on {where}], first: {first}</source>
        <comment>log_several</comment>
        <translation>{count} × {kind}[，{where}]，首条：{first}</translation>
    </message>
    <message>
        <source>{device} of {node}[ (rank {rank})]</source>
        <comment>fault_device</comment>
        <translation>{node} 的 {device}[（rank {rank}）]</translation>
    </message>
    <message>
        <source>{finding}[; for {length}]</source>
        <comment>log_finding</comment>
        <translation>{finding}[；持续 {length}]</translation>
    </message>
    <message>
        <source>{first}; {second}</source>
        <comment>suspect_reasons</comment>
        <translation>{first}；{second}</translation>
    </message>
    <message>
        <source>{gone} {count|is|are} replaced by {come}</source>
        <comment>nodes_replaced</comment>
        <translation>{gone} 被 {come} 替换</translation>
    </message>
    <message>
        <source>{gpus|One GPU|# GPUs} of {where} {gpus|is|are} throttled: {reasons}</source>
        <comment>fault_throttled_now</comment>
        <translation>{where} 的 {gpus|# 个 GPU} 被降频：{reasons}</translation>
    </message>
    <message>
        <source>{gpus|One GPU|# GPUs} of {where} {gpus|was|were} throttled for {seconds} s: {reasons}</source>
        <comment>fault_throttled_past</comment>
        <translation>{where} 的 {gpus|# 个 GPU} 曾被降频 {seconds} s：{reasons}</translation>
    </message>
    <message>
        <source>{held} against {level} of other devices[, which costs it {lost}][; {sample}]</source>
        <comment>idle_clocks_of_others</comment>
        <translation>{held}，其他设备为 {level}[，代价为 {lost}][；{sample}]</translation>
    </message>
    <message>
        <source>{held} against {level} unthrottled[, which costs it {lost}][; {sample}]</source>
        <comment>idle_clocks_unthrottled</comment>
        <translation>{held}，未受限时为 {level}[，代价为 {lost}][；{sample}]</translation>
    </message>
    <message>
        <source>{held} of {devices|# device|# devices} throttled ({reasons}); the worst[, rank {rank}&apos;s,] for {share} of the time at {clock}</source>
        <comment>idle_clocks_held</comment>
        <translation>{devices|# 个设备}中有 {held} 个被降频（{reasons}）；最严重的[（rank {rank}）]在 {share} 的时间内为 {clock}</translation>
    </message>
    <message>
        <source>{held}; no clock without throttling is recorded[; {sample}]</source>
        <comment>idle_clocks_alone</comment>
        <translation>{held}；从未观察到未受限时的时钟[；{sample}]</translation>
    </message>
    <message>
        <source>{kind} group {group}</source>
        <comment>hang_group_of_kind</comment>
        <translation>{kind} 组 {group}</translation>
    </message>
    <message>
        <source>{kind}: {text}</source>
        <comment>log_kind</comment>
        <translation>{kind}：{text}</translation>
    </message>
    <message>
        <source>{kind}[ of {length}]</source>
        <comment>incident_one</comment>
        <translation>{kind}[，持续 {length}]</translation>
    </message>
    <message>
        <source>{kind}[ {code}][ ({meaning})]</source>
        <comment>title_fault</comment>
        <translation>{kind}[ {code}][（{meaning}）]</translation>
    </message>
    <message>
        <source>{metric} of {devices|# device|# devices}[; {sample}]</source>
        <comment>idle_basis_metric</comment>
        <translation>{devices|# 个设备}的 {metric}[；{sample}]</translation>
    </message>
    <message>
        <source>{metric} of {place}</source>
        <comment>ruled_out_metric</comment>
        <translation>{place} 的{metric}</translation>
    </message>
    <message>
        <source>{names} and {count} more</source>
        <comment>names_more</comment>
        <translation>{names} 等另外 {count} 个</translation>
    </message>
    <message>
        <source>{name} has no steady steps with a duration.</source>
        <comment>compare_no_steps</comment>
        <translation>{name} 没有带时长的稳定步。</translation>
    </message>
    <message>
        <source>{name}[, steps {first} to {last}]</source>
        <comment>compare_side</comment>
        <translation>{name}[，第 {first} 至 {last} 步]</translation>
    </message>
    <message>
        <source>{nodes|# node|# nodes}[, {models}]</source>
        <comment>log_machines</comment>
        <translation>{nodes|# 个节点}[，{models}]</translation>
    </message>
    <message>
        <source>{nodes} nodes</source>
        <comment>log_nodes</comment>
        <translation>{nodes} 个节点</translation>
    </message>
    <message>
        <source>{nodes} nodes fell silent within 10 s: the hub or the network, not the nodes</source>
        <comment>fault_hub</comment>
        <translation>{nodes} 个节点在 10 s 内相继失联：问题在 hub 或网络，而非节点</translation>
    </message>
    <message>
        <source>{nodes} {count|is|are} gone</source>
        <comment>nodes_gone</comment>
        <translation>{nodes} 已离开</translation>
    </message>
    <message>
        <source>{nodes} {count|is|are} new</source>
        <comment>nodes_new</comment>
        <translation>{nodes} 新加入</translation>
    </message>
    <message>
        <source>{node} ({count|# rank|# ranks}) has not entered[: {doing}]</source>
        <comment>hang_late_node</comment>
        <translation>{node}（{count|# 个 rank}）尚未进入[：{doing}]</translation>
    </message>
    <message>
        <source>{node} ({ranks|# rank|# ranks})</source>
        <comment>slow_node</comment>
        <translation>{node}（{ranks|# 个 rank}）</translation>
    </message>
    <message>
        <source>{node} ({workers|# worker|# workers}) explains {explained} of the slowdown: if it were as fast as the others, {gain}</source>
        <comment>straggler_node</comment>
        <translation>{node}（{workers|# 个 worker}）解释了 {explained} 的减速：若与其他节点一样快，{gain}</translation>
    </message>
    <message>
        <source>{node}, which computes all of stage {stage}, has become slower than the other stages: {own} a step against {others} (+{ratio}), {when}; {cost}</source>
        <comment>stage_node</comment>
        <translation>承担 stage {stage} 全部计算的 {node} 变得比其他 stage 慢：每步 {own}，其他 {others}（+{ratio}），{when}；{cost}</translation>
    </message>
    <message>
        <source>{op}[ #{seq}][ of {group}]</source>
        <comment>hang_operation</comment>
        <translation>[{group} 的 ]{op}[ #{seq}]</translation>
    </message>
    <message>
        <source>{own} against {peers} of its peers</source>
        <comment>ruled_out_as_peers</comment>
        <translation>{own}，同伴为 {peers}</translation>
    </message>
    <message>
        <source>{part} of a step of {whole}</source>
        <comment>idle_portion_of_step</comment>
        <translation>每步 {whole} 中的 {part}</translation>
    </message>
    <message>
        <source>{part} of {whole}</source>
        <comment>idle_portion</comment>
        <translation>{whole} 中的 {part}</translation>
    </message>
    <message>
        <source>{part} {delta} of {whole}</source>
        <comment>compare_part</comment>
        <translation>{part} {delta}，总差异 {whole}</translation>
    </message>
    <message>
        <source>{pods|# pod does|# pods do} not start, the image cannot be pulled: {code}[: {text}]</source>
        <comment>image_pull</comment>
        <translation>{pods|# 个 pod} 无法启动，镜像拉取失败：{code}[：{text}]</translation>
    </message>
    <message>
        <source>{pods|# pod has|# pods have} not been scheduled for {length}[: {reason}]</source>
        <comment>unschedulable_now</comment>
        <translation>{pods|# 个 pod} 已 {length} 未能调度[：{reason}]</translation>
    </message>
    <message>
        <source>{pods|# pod was|# pods were} not scheduled for {length}[: {reason}]</source>
        <comment>unschedulable_past</comment>
        <translation>{pods|# 个 pod} 曾有 {length} 未能调度[：{reason}]</translation>
    </message>
    <message>
        <source>{points|# point|# points} of the loss are outliers between steps {first} and {last}, each back within {within} points; the highest is {peak} against {baseline} at step {step}</source>
        <comment>loss_blips</comment>
        <translation>第 {first} 至 {last} 步之间 loss 有 {points|# 个}离群点，均在 {within} 个点内恢复；最高为第 {step} 步的 {peak}，基线 {baseline}</translation>
    </message>
    <message>
        <source>{portion} in no part</source>
        <comment>idle_no_part</comment>
        <translation>{portion} 不属于任何部分</translation>
    </message>
    <message>
        <source>{portion}: no recorded cause</source>
        <comment>idle_no_cause</comment>
        <translation>{portion}：没有记录的原因</translation>
    </message>
    <message>
        <source>{port}[ of {node}] counted {own} {counter}, the other ports {others}</source>
        <comment>link_port_counted</comment>
        <translation>[{node} 的 ]{port} 计数 {counter} 为 {own}，其他端口为 {others}</translation>
    </message>
    <message>
        <source>{port}[ of {node}] runs at {own} Gbit/s, the other ports at {others}</source>
        <comment>link_port_rate</comment>
        <translation>[{node} 的 ]{port} 运行于 {own} Gbit/s，其他端口为 {others}</translation>
    </message>
    <message>
        <source>{process} (pid {pid}) crashed, as the kernel reports</source>
        <comment>process_crashed</comment>
        <translation>据内核报告，{process}（pid {pid}）已崩溃</translation>
    </message>
    <message>
        <source>{ranks} ranks[ of {nodes} nodes]</source>
        <comment>log_ranks</comment>
        <translation>[{nodes} 个节点的 ]{ranks} 个 rank</translation>
    </message>
    <message>
        <source>{ranks}, ... ({count} in all)</source>
        <comment>ranks_more</comment>
        <translation>{ranks} 等共 {count} 个</translation>
    </message>
    <message>
        <source>{rule} notified[ ({delivery})]</source>
        <comment>log_notified</comment>
        <translation>{rule} 已通知[（{delivery}）]</translation>
    </message>
    <message>
        <source>{rule}: {what}[ ({delivery})]</source>
        <comment>log_alert</comment>
        <translation>{rule}：{what}[（{delivery}）]</translation>
    </message>
    <message>
        <source>{setting} differs: on {odd} of {nodes|# node|# nodes}; most have {others}</source>
        <comment>setting_odd_nodes</comment>
        <translation>{setting}不一致：{nodes|# 个节点}中有 {odd} 个不同；多数为 {others}</translation>
    </message>
    <message>
        <source>{setting} differs: {node} has {value}, the other {nodes|# node|# nodes} {others}</source>
        <comment>setting_odd_node</comment>
        <translation>{setting}不一致：{node} 为 {value}，其余 {nodes|# 个节点}为 {others}</translation>
    </message>
    <message>
        <source>{setting} differs: {values} values on {nodes|# node|# nodes}</source>
        <comment>setting_values</comment>
        <translation>{setting}不一致：{nodes|# 个节点}上有 {values} 种值</translation>
    </message>
    <message>
        <source>{setting} is 0: when a rank fails, its peers wait instead of ending</source>
        <comment>setting_no_abort</comment>
        <translation>{setting} 为 0：一个 rank 失败时，其他 rank 会一直等待而不结束</translation>
    </message>
    <message>
        <source>{setting} is {value}: a network outage of seconds ends the job</source>
        <comment>setting_low</comment>
        <translation>{setting} 为 {value}：网络中断数秒即会结束作业</translation>
    </message>
    <message>
        <source>{setting} is {value}: {advised} is advised for a job of {nodes|# node|# nodes}</source>
        <comment>setting_low_large</comment>
        <translation>{setting} 为 {value}：{nodes|# 个节点}的作业建议设为 {advised}</translation>
    </message>
    <message>
        <source>{share} of a step on {count} of {total|# device|# devices}</source>
        <comment>idle_on_devices_of_step</comment>
        <translation>{total|# 个设备}中的 {count} 个上为每步的 {share}</translation>
    </message>
    <message>
        <source>{share} of a step on {count} of {total|# rank|# ranks}</source>
        <comment>idle_on_ranks_of_step</comment>
        <translation>{total|# 个 rank} 中的 {count} 个上为每步的 {share}</translation>
    </message>
    <message>
        <source>{share} of the time on {count} of {total|# device|# devices}</source>
        <comment>idle_on_devices</comment>
        <translation>{total|# 个设备}中的 {count} 个上为 {share} 的时间</translation>
    </message>
    <message>
        <source>{share} of the time on {count} of {total|# rank|# ranks}</source>
        <comment>idle_on_ranks</comment>
        <translation>{total|# 个 rank} 中的 {count} 个上为 {share} 的时间</translation>
    </message>
    <message>
        <source>{share} of {count} kernels are that short, {time} of the kernels&apos; time</source>
        <comment>idle_short_kernels</comment>
        <translation>{count} 个 kernel 中有 {share} 如此之短，占 kernel 时间的 {time}</translation>
    </message>
    <message>
        <source>{share} of {count} launches found the device idle, median launch delay {delay}</source>
        <comment>idle_launches</comment>
        <translation>{count} 次启动中有 {share} 遇到设备空闲，启动延迟中位数 {delay}</translation>
    </message>
    <message>
        <source>{share} slower than its peers in the ranking</source>
        <comment>suspect_slower</comment>
        <translation>在排名中比同伴慢 {share}</translation>
    </message>
    <message>
        <source>{standstill}; suspect: {count|rank|ranks} {ranks}[ ({node})][; {stacks}][; root: {operation}]</source>
        <comment>hang_outlier</comment>
        <translation>{standstill}；嫌疑：rank {ranks}[（{node}）][；{stacks}][；根源：{operation}]</translation>
    </message>
    <message>
        <source>{standstill}; {count|rank|ranks} {ranks}[ ({node})] {count|does|do} not run: process state {states}[; root: {operation}][; {stacks}]</source>
        <comment>hang_stopped</comment>
        <translation>{standstill}；rank {ranks}[（{node}）]未在运行：进程状态 {states}[；根源：{operation}][；{stacks}]</translation>
    </message>
    <message>
        <source>{tag} is {value} at step {first}[, {points|# point|# points} up to step {last}][; finite again at step {back}][ and {lasting}][; {scaler}][; {more|so is # more scalar|so are # more scalars}][; first on rank {rank}][; found in {layer}]</source>
        <comment>scalar_not_finite</comment>
        <translation>第 {first} 步 {tag} 为 {value}[，到第 {last} 步共 {points|# 个点}][；第 {back} 步恢复有限][，{lasting}][；{scaler}][；另有 {more|# 个标量}也如此][；最先出现在 rank {rank}][；位于 {layer}]</translation>
    </message>
    <message>
        <source>{text}</source>
        <comment>verbatim</comment>
        <translation>{text}</translation>
    </message>
    <message>
        <source>{timeouts|# collective timeout|# collective timeouts}[ at step {step}]; {count|rank|ranks} {ranks}[ ({node})] sent nothing to the ranks that timed out</source>
        <comment>hang_timed_out_awaited</comment>
        <translation>[第 {step} 步，]{timeouts} 次集合通信超时；rank {ranks}[（{node}）]没有向超时的 rank 发送任何数据</translation>
    </message>
    <message>
        <source>{title}[; cause: {cause}][; because: {reason}]</source>
        <comment>log_incident</comment>
        <translation>{title}[；原因：{cause}][；理由：{reason}]</translation>
    </message>
    <message>
        <source>{what} since the attempt began; no steps are slower for it</source>
        <comment>link_counts</comment>
        <translation>自 attempt 开始以来 {what}；没有步因此变慢</translation>
    </message>
    <message>
        <source>{what}; with it: {list}</source>
        <comment>incident_with</comment>
        <translation>{what}；同时有：{list}</translation>
    </message>
    <message>
        <source>{what}; {machine}</source>
        <comment>machine_added</comment>
        <translation>{what}；{machine}</translation>
    </message>
    <message>
        <source>{what}[ ({delivery})]</source>
        <comment>log_delivered</comment>
        <translation>{what}[（{delivery}）]</translation>
    </message>
    <message>
        <source>{what}[, {place}][, at step {at}][, from step {from}]</source>
        <comment>title_at</comment>
        <translation>{what}[，{place}][，第 {at} 步][，自第 {from} 步起]</translation>
    </message>
    <message>
        <source>{where} fell silent and returned; no earlier record explains it</source>
        <comment>fault_silent_back</comment>
        <translation>{where} 失联后恢复；没有更早的记录能解释</translation>
    </message>
    <message>
        <source>{where} fell silent; no earlier record explains it</source>
        <comment>fault_silent</comment>
        <translation>{where} 失联；没有更早的记录能解释</translation>
    </message>
    <message>
        <source>{where}: {what}[, {times} times][; {symptoms}]</source>
        <comment>fault_at</comment>
        <translation>{where}：{what}[，{times} 次][；{symptoms}]</translation>
    </message>
    <message>
        <source>{who} begins {last} of {calls} collectives last[, in {late_steps} of {steps} steps]: the other {others|rank waits|ranks wait} {waited} of {time} for it ({cost})</source>
        <comment>waited_rank</comment>
        <translation>{who} 在 {calls} 次集合通信中有 {last} 次最后进入[，涉及 {steps} 步中的 {late_steps} 步]：其余 {others|# 个 rank} 在 {time} 中为它等待 {waited}（{cost}）</translation>
    </message>
    <message>
        <source>{who} computes slower than its peers: {own} against {peers} a step (+{ratio}), {when}; {cost}</source>
        <comment>slow_computes</comment>
        <translation>{who} 计算慢于同类：每步 {own}，同类 {peers}（+{ratio}），{when}；{cost}</translation>
    </message>
    <message>
        <source>{who} did not end within its grace period[ of {grace}] after SIGTERM and was killed by SIGKILL[; {others|# other pod|# other pods} after it]</source>
        <comment>grace_period_exceeded</comment>
        <translation>{who} 收到 SIGTERM 后未在宽限期[ {grace} ]内退出，被 SIGKILL 终止[；其后另有 {others|# 个 pod}]</translation>
    </message>
    <message>
        <source>{who} failed first: {message}[; {others|# other rank|# other ranks} failed after it]</source>
        <comment>job_failed_first</comment>
        <translation>{who} 最先失败：{message}[；其后另有 {others|# 个 rank} 失败]</translation>
    </message>
    <message>
        <source>{who} spends more time on the host than its peers: {own} against {peers} a step, {when}; {cost}</source>
        <comment>slow_host</comment>
        <translation>{who} 的主机耗时多于同类：每步 {own}，同类 {peers}，{when}；{cost}</translation>
    </message>
    <message>
        <source>{who} waits longer for its data than its peers: {own} against {peers} a step, {when}; {cost}</source>
        <comment>slow_data</comment>
        <translation>{who} 等待数据的时间长于同类：每步 {own}，同类 {peers}，{when}；{cost}</translation>
    </message>
    <message>
        <source>{who} was OOM-killed[: container {container} exceeded its memory limit or the node ran out of memory][; {others|# other pod|# other pods} after it]</source>
        <comment>oom_killed</comment>
        <translation>{who} 因内存不足被终止（OOMKilled）[：容器 {container} 超过内存限制，或节点内存耗尽][；其后另有 {others|# 个 pod}]</translation>
    </message>
    <message>
        <source>{who} was evicted: {text}[; {others|# other pod|# other pods} after it]</source>
        <comment>evicted</comment>
        <translation>{who} 被驱逐：{text}[；其后另有 {others|# 个 pod}]</translation>
    </message>
    <message>
        <source>{who} was preempted: {text}[; {others|# other pod|# other pods} after it]</source>
        <comment>preempted</comment>
        <translation>{who} 被抢占：{text}[；其后另有 {others|# 个 pod}]</translation>
    </message>
    <message>
        <source>{world|# rank|# ranks}[ ({sizes})]</source>
        <comment>log_sizes</comment>
        <translation>{world|# 个 rank}[（{sizes}）]</translation>
    </message>
</context>
<context>
    <name>runglass::AlertsView</name>
    <message>
        <source>%1, rule %2
%3
%4</source>
        <translation>%1，规则 %2
%3
%4</translation>
    </message>
    <message>
        <source>Choose an alert first.</source>
        <translation>请先选择一条告警。</translation>
    </message>
    <message>
        <source>Filter alerts  ( / )</source>
        <translation>筛选告警  ( / )</translation>
    </message>
    <message>
        <source>How long the alert&apos;s condition held; – while it still holds.</source>
        <translation>问题持续时长；– 表示仍在持续。</translation>
    </message>
    <message>
        <source>Mark all as read</source>
        <translation>全部标为已读</translation>
    </message>
    <message>
        <source>Mute 2 h</source>
        <translation>静音 2 小时</translation>
    </message>
    <message>
        <source>Mute its rule 2 h</source>
        <translation>静音该规则 2 小时</translation>
    </message>
    <message>
        <source>No finding of warning severity or above, and no alert. Alert rules are set at the hub (docs/operate/alerts.md):</source>
        <translation>没有警告及以上的结论，也没有告警。告警规则在 hub 设置（docs/operate/alerts.md）：</translation>
    </message>
    <message>
        <source>No notifications.</source>
        <translation>没有通知。</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Reading the alerts …</source>
        <translation>正在读取告警 …</translation>
    </message>
    <message>
        <source>Saving …</source>
        <translation>正在保存 …</translation>
    </message>
    <message>
        <source>Send no notification about this cause for two hours</source>
        <translation>两小时内不再通知此原因</translation>
    </message>
    <message>
        <source>Send no notification of this rule for two hours</source>
        <translation>两小时内不再通知此规则</translation>
    </message>
    <message>
        <source>Send notifications about this cause again</source>
        <translation>恢复此原因的通知</translation>
    </message>
    <message>
        <source>Send notifications of this rule again</source>
        <translation>恢复此规则的通知</translation>
    </message>
    <message>
        <source>State of the notification and its result per target.</source>
        <translation>通知状态与各目标的结果。</translation>
    </message>
    <message>
        <source>The alerts cannot be read.</source>
        <translation>无法读取告警。</translation>
    </message>
    <message>
        <source>The rule that matched.</source>
        <translation>匹配的规则。</translation>
    </message>
    <message>
        <source>The text of the notification.</source>
        <translation>通知的文本。</translation>
    </message>
    <message>
        <source>This store cannot be edited.</source>
        <translation>此 store 不可编辑。</translation>
    </message>
    <message>
        <source>Time of the last notification; for an alert without one, its begin.</source>
        <translation>最近一次通知的时间；无通知的告警为其开始时间。</translation>
    </message>
    <message>
        <source>Unmute</source>
        <translation>取消静音</translation>
    </message>
    <message>
        <source>Unmute the rule</source>
        <translation>取消规则静音</translation>
    </message>
    <message>
        <source>alert</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>found</source>
        <translation>已发现</translation>
    </message>
    <message>
        <source>held</source>
        <translation>持续</translation>
    </message>
    <message>
        <source>muted until %1</source>
        <translation>静音至 %1</translation>
    </message>
    <message>
        <source>new</source>
        <translation>新</translation>
    </message>
    <message>
        <source>not delivered</source>
        <translation>未送达</translation>
    </message>
    <message>
        <source>not sent</source>
        <translation>未发送</translation>
    </message>
    <message>
        <source>partly sent</source>
        <translation>部分送达</translation>
    </message>
    <message>
        <source>read</source>
        <translation>已读</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>sending</source>
        <translation>发送中</translation>
    </message>
    <message>
        <source>sent</source>
        <translation>已发送</translation>
    </message>
    <message>
        <source>sent %1×</source>
        <translation>已发送 %1×</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>unread</source>
        <translation>未读</translation>
    </message>
    <message>
        <source>when</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>● unread</source>
        <translation>● 未读</translation>
    </message>
</context>
<context>
    <name>runglass::BarTrack</name>
    <message>
        <source>Time of the run</source>
        <translation>run 的时间</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>what</source>
        <translation>内容</translation>
    </message>
</context>
<context>
    <name>runglass::BreakdownView</name>
    <message>
        <source>Step by part: %1 parts</source>
        <translation>步的组成：%1 个部分</translation>
    </message>
    <message>
        <source>Step, by part</source>
        <translation>步的组成</translation>
    </message>
    <message>
        <source>Step, by part: mean over ranks</source>
        <translation>步的组成：各 rank 的均值</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>mean over ranks</source>
        <translation>各 rank 的均值</translation>
    </message>
    <message>
        <source>newest %1 steps</source>
        <translation>最新 %1 步</translation>
    </message>
    <message>
        <source>part</source>
        <translation>部分</translation>
    </message>
</context>
<context>
    <name>runglass::CaptureDialog</name>
    <message>
        <source>Asking all nodes of the run for stacks, process states and logs …</source>
        <translation>正在向该 run 的所有节点请求调用栈、进程状态和日志 …</translation>
    </message>
    <message>
        <source>Capture again</source>
        <translation>再次 capture</translation>
    </message>
    <message>
        <source>Capture of %1</source>
        <translation>%1 的 capture</translation>
    </message>
    <message>
        <source>What each node said</source>
        <translation>各节点的回应</translation>
    </message>
</context>
<context>
    <name>runglass::CategoryLegend</name>
    <message>
        <source>Legend of the spans</source>
        <translation>span 图例</translation>
    </message>
    <message>
        <source>Waiting: a collective moves data from when its last member began; before that its members wait for it.
Hatched where all this is certain: see the drawer of a span for whom it waited.</source>
        <translation>等待：集合通信从最后一个成员开始时才传输数据；在此之前其成员都在等它。
斜线：以上均确定时；等待谁见 span 的详情栏。</translation>
    </message>
</context>
<context>
    <name>runglass::ClockPanel</name>
    <message>
        <source>Align clocks by collectives …</source>
        <translation>按集合通信对齐时钟 …</translation>
    </message>
    <message>
        <source>Align the other ranks&apos; begins to the chosen span</source>
        <translation>将其他 rank 的开始对齐到所选 span</translation>
    </message>
    <message>
        <source>Align the other ranks&apos; ends to the chosen span</source>
        <translation>将其他 rank 的结束对齐到所选 span</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Choose a collective first: the other ranks are aligned to it.</source>
        <translation>请先选择一次集合通信：其他 rank 对齐到它。</translation>
    </message>
    <message>
        <source>Clocks as stamped</source>
        <translation>时钟按原始时间戳</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Comparing the ends of collectives …</source>
        <translation>正在比较集合通信的结束时刻 …</translation>
    </message>
    <message>
        <source>How the clocks of nodes are aligned, and changing it</source>
        <translation>节点时钟如何对齐，以及更改</translation>
    </message>
    <message>
        <source>Read-only: open the store with --live, or connect to its hub, to edit.</source>
        <translation>只读：以 --live 打开 store，或连接其 hub，即可编辑。</translation>
    </message>
    <message>
        <source>Undo the last alignment</source>
        <translation>撤销上次对齐</translation>
    </message>
</context>
<context>
    <name>runglass::CompareView</name>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>A: %1 · B: %2 · steady steps only: first steps, warm-up, evaluations and saves are left out</source>
        <translation>A：%1 · B：%2 · 仅稳态步：略去最初几步、预热、评估与保存</translation>
    </message>
    <message>
        <source>All recorded settings and versions are identical.</source>
        <translation>记录的设置与版本全部相同。</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>Choose what to compare</source>
        <translation>请选择比较对象</translation>
    </message>
    <message>
        <source>Compares B before this step with itself from this step on</source>
        <translation>以此步为界，比较 B 的之前与之后</translation>
    </message>
    <message>
        <source>Facts that differ</source>
        <translation>不同的配置项</translation>
    </message>
    <message>
        <source>Filter nodes</source>
        <translation>筛选节点</translation>
    </message>
    <message>
        <source>Filter what differs  ( / )</source>
        <translation>筛选差异项  ( / )</translation>
    </message>
    <message>
        <source>No curves: the two have no scalar with steps in common.</source>
        <translation>无曲线：两者没有步相同的标量。</translation>
    </message>
    <message>
        <source>Nothing to compare yet</source>
        <translation>尚无可比较的内容</translation>
    </message>
    <message>
        <source>Reading the attempts …</source>
        <translation>正在读取各 attempt …</translation>
    </message>
    <message>
        <source>Step that splits B</source>
        <translation>划分 B 的步</translation>
    </message>
    <message>
        <source>The comparison could not be read</source>
        <translation>无法读取比较结果</translation>
    </message>
    <message>
        <source>Work by node</source>
        <translation>各节点的工作</translation>
    </message>
    <message>
        <source>before | after step</source>
        <translation>分界步</translation>
    </message>
</context>
<context>
    <name>runglass::ConnectPanel</name>
    <message>
        <source>In Kubernetes, the hub too</source>
        <translation>在 Kubernetes 中（含 hub）</translation>
    </message>
    <message>
        <source>In Slurm jobs (TLS, no root)</source>
        <translation>在 Slurm 作业中（TLS，无需 root）</translation>
    </message>
    <message>
        <source>On a cluster behind a bastion, its hub there (ssh)</source>
        <translation>跳板机后的集群，hub 在其中（ssh）</translation>
    </message>
    <message>
        <source>On nodes that only ssh reaches (tunnel)</source>
        <translation>仅 ssh 可达的节点（隧道）</translation>
    </message>
    <message>
        <source>On nodes that reach this host (TLS)</source>
        <translation>可访问本机的节点（TLS）</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>在本机</translation>
    </message>
    <message>
        <source>Opens the store here and listens, as the hub&apos;s command below does</source>
        <translation>在此打开 store 并监听，等同下方的 hub 命令</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Receive in this window</source>
        <translation>在此窗口接收</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Store</translation>
    </message>
    <message>
        <source>This host is</source>
        <translation>本机地址</translation>
    </message>
    <message>
        <source>Trainers run</source>
        <translation>训练运行于</translation>
    </message>
</context>
<context>
    <name>runglass::Console</name>
    <message>
        <source>Another store</source>
        <translation>另一个 store</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation>未导入</translation>
    </message>
    <message>
        <source>That hub writes another store than before: this is a copy of its own.</source>
        <translation>该 hub 写入的 store 与之前不同：这是单独的副本。</translation>
    </message>
    <message>
        <source>This window receives a run. Drop the files on another window, or use runglassctl import.</source>
        <translation>此窗口正在接收 run。请把文件拖到另一窗口，或使用 runglassctl import。</translation>
    </message>
    <message>
        <source>this window writes the store. Close it, then use runglassctl repair.</source>
        <translation>此窗口正在写入该存储。请先关闭它，再使用 runglassctl repair。</translation>
    </message>
</context>
<context>
    <name>runglass::CursorTable</name>
    <message>
        <source>How many points share this pixel; zoom in until it says 1.</source>
        <translation>有多少点共用此像素；放大到 1 为止。</translation>
    </message>
    <message>
        <source>Largest of the points that share this pixel.</source>
        <translation>共用此像素的点中最大者。</translation>
    </message>
    <message>
        <source>Smallest of the points that share this pixel.</source>
        <translation>共用此像素的点中最小者。</translation>
    </message>
    <message>
        <source>Step or time of the value: the newest at or before the crosshair.</source>
        <translation>值所在的步或时间：十字线处或之前最近的一个。</translation>
    </message>
    <message>
        <source>The debiased moving average there.</source>
        <translation>该处去偏的移动平均。</translation>
    </message>
    <message>
        <source>The last point at the crosshair, unsmoothed.</source>
        <translation>十字线处的最后一个点，未平滑。</translation>
    </message>
    <message>
        <source>The metric&apos;s name as its source has it.</source>
        <translation>指标在数据源中的名称。</translation>
    </message>
    <message>
        <source>Values under the crosshair</source>
        <translation>十字线处的值</translation>
    </message>
    <message>
        <source>What tells it apart within its tag.</source>
        <translation>在标签内区分各曲线的信息。</translation>
    </message>
    <message>
        <source>at</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>curve</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>points</source>
        <translation>点</translation>
    </message>
    <message>
        <source>smoothed</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>tag</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
</context>
<context>
    <name>runglass::CurveCard</name>
    <message>
        <source>%1 curves have no place on this axis</source>
        <translation>%1 条曲线在此横轴上没有位置</translation>
    </message>
    <message>
        <source>%1 more curves are not drawn; untick some</source>
        <translation>另有 %1 条曲线未绘制；请取消部分勾选</translation>
    </message>
    <message>
        <source>8 robust sigma and 5 % above the local level</source>
        <translation>高于局部水平 8 个稳健 sigma 且 5 %</translation>
    </message>
    <message>
        <source>Compare the rules …</source>
        <translation>比较规则 …</translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation>导出 %1</translation>
    </message>
    <message>
        <source>Export %1 …</source>
        <translation>导出 %1 …</translation>
    </message>
    <message>
        <source>Export this window, or hide the card</source>
        <translation>导出此窗口，或隐藏卡片</translation>
    </message>
    <message>
        <source>Hide this card</source>
        <translation>隐藏此卡片</translation>
    </message>
    <message>
        <source>Keep this card first</source>
        <translation>将此卡片固定在最前</translation>
    </message>
    <message>
        <source>Logarithmic values</source>
        <translation>对数纵轴</translation>
    </message>
    <message>
        <source>Plan a rewind …</source>
        <translation>规划 rewind …</translation>
    </message>
    <message>
        <source>Runglass</source>
        <translation>Runglass</translation>
    </message>
    <message>
        <source>Whose spikes are marked, a comparison of the rules, and a plan for a rewind</source>
        <translation>标记哪些规则的尖峰、规则比较，以及 rewind 规划</translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation>已写入 %1</translation>
    </message>
    <message>
        <source>Wrote %1 rows to %2</source>
        <translation>已将 %1 行写入 %2</translation>
    </message>
    <message>
        <source>could not be read: %1</source>
        <translation>无法读取：%1</translation>
    </message>
    <message>
        <source>log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>spikes</source>
        <translation>尖峰</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
</context>
<context>
    <name>runglass::CurvesView</name>
    <message>
        <source>Against</source>
        <translation>横轴</translation>
    </message>
    <message>
        <source>Filter tags by regex  ( / )</source>
        <translation>用正则筛选标签  ( / )</translation>
    </message>
    <message>
        <source>Filter: %1</source>
        <translation>筛选：%1</translation>
    </message>
    <message>
        <source>No curve yet</source>
        <translation>尚无曲线</translation>
    </message>
    <message>
        <source>Nothing in this store has recorded a value so far. Import a log, or point an agent at this store.</source>
        <translation>此 store 尚无任何数值。请导入日志，或让 agent 指向此 store。</translation>
    </message>
    <message>
        <source>Reading the curves of this store …</source>
        <translation>正在读取此 store 的曲线 …</translation>
    </message>
    <message>
        <source>Regular expression, case does not matter. Enter ticks exactly what is listed.</source>
        <translation>正则表达式，不区分大小写。Enter 只勾选列出的项。</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Run 列表</translation>
    </message>
    <message>
        <source>Scale to the bulk of the values; a badge counts what lies outside</source>
        <translation>按多数值缩放；角标显示范围外的个数</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>The curves could not be read</source>
        <translation>无法读取曲线</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Weight of the debiased exponential moving average, as TensorBoard&apos;s; the raw curve stays visible</source>
        <translation>去偏指数移动平均的权重，与 TensorBoard 相同；原始曲线仍可见</translation>
    </message>
    <message>
        <source>X axis of the curves</source>
        <translation>曲线的横轴</translation>
    </message>
    <message>
        <source>against</source>
        <translation>横轴</translation>
    </message>
    <message>
        <source>leave outliers out</source>
        <translation>排除离群值</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>run</translation>
    </message>
    <message>
        <source>smoothing</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>time since start</source>
        <translation>自开始的时间</translation>
    </message>
</context>
<context>
    <name>runglass::DamageBanner</name>
    <message>
        <source>%1 No repaired copy: %2</source>
        <translation>%1 没有已修复的副本：%2</translation>
    </message>
    <message>
        <source>%1. To keep a repaired copy: %2</source>
        <translation>%1。要保留已修复的副本：%2</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Making a repaired copy: %1 written …</source>
        <translation>正在制作已修复的副本：已写入 %1 …</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Open a repaired copy</source>
        <translation>打开已修复的副本</translation>
    </message>
    <message>
        <source>The copy is deleted when this window shows another store or is closed, so that it takes no edits. To keep one: %1</source>
        <translation>此窗口显示其他存储或关闭时会删除该副本，因此不能编辑。要保留一个：%1</translation>
    </message>
    <message>
        <source>This store is damaged: rows may be missing from the views.</source>
        <translation>此存储已损坏：视图中可能缺少数据行。</translation>
    </message>
    <message>
        <source>This store is damaged: rows of %1 may be missing from the views.</source>
        <translation>此存储已损坏：视图中可能缺少 %1 的数据行。</translation>
    </message>
</context>
<context>
    <name>runglass::DataQualityView</name>
    <message>
        <source>Everything that arrived is stored as it came. What is odd, late, damaged or dropped would be counted here, with its source and what to do.</source>
        <translation>到达的数据均原样存储。异常、迟到、损坏或丢弃的数据会在此计数，并给出来源与处理办法。</translation>
    </message>
    <message>
        <source>Filter issues  ( / )</source>
        <translation>筛选问题  ( / )</translation>
    </message>
    <message>
        <source>Issues</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>No ingest issue.</source>
        <translation>无导入问题。</translation>
    </message>
    <message>
        <source>Reading the ingest issues …</source>
        <translation>正在读取导入问题 …</translation>
    </message>
    <message>
        <source>The ingest issues cannot be read.</source>
        <translation>无法读取导入问题。</translation>
    </message>
    <message>
        <source>This store</source>
        <translation>此 store</translation>
    </message>
    <message>
        <source>What is recorded</source>
        <translation>已记录的内容</translation>
    </message>
</context>
<context>
    <name>runglass::DesktopNotifier</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
</context>
<context>
    <name>runglass::DockHost</name>
    <message>
        <source>All panels are closed or in windows of their own.</source>
        <translation>所有面板都已关闭，或位于单独的窗口中。</translation>
    </message>
    <message>
        <source>Restore panels</source>
        <translation>恢复面板</translation>
    </message>
</context>
<context>
    <name>runglass::DockPage</name>
    <message>
        <source>Close %1</source>
        <translation>关闭%1</translation>
    </message>
    <message>
        <source>Float %1</source>
        <translation>浮动%1</translation>
    </message>
</context>
<context>
    <name>runglass::EditableText</name>
    <message>
        <source>Double click or F2: change it</source>
        <translation>双击或 F2：修改</translation>
    </message>
</context>
<context>
    <name>runglass::EstimateDialog</name>
    <message>
        <source> The rate of failures is another cluster&apos;s until you change it.</source>
        <translation>故障率取自其他集群，请按实际修改。</translation>
    </message>
    <message>
        <source>%1 days</source>
        <translation>%1 天</translation>
    </message>
    <message>
        <source>%1; activations are not in it: the shape of the model is not known</source>
        <translation>%1；不含激活：模型形状未知</translation>
    </message>
    <message>
        <source>0.047</source>
        <translation>0.047</translation>
    </message>
    <message>
        <source>1</source>
        <translation>1</translation>
    </message>
    <message>
        <source>1024</source>
        <translation>1024</translation>
    </message>
    <message>
        <source>12288</source>
        <translation>12288</translation>
    </message>
    <message>
        <source>175 B</source>
        <translation>175 B</translation>
    </message>
    <message>
        <source>2048</source>
        <translation>2048</translation>
    </message>
    <message>
        <source>30</source>
        <translation>30</translation>
    </message>
    <message>
        <source>300 B</source>
        <translation>300 B</translation>
    </message>
    <message>
        <source>50</source>
        <translation>50</translation>
    </message>
    <message>
        <source>96</source>
        <translation>96</translation>
    </message>
    <message>
        <source>A failure within a day</source>
        <translation>一天内发生故障</translation>
    </message>
    <message>
        <source>A save costs, s</source>
        <translation>单次保存耗时，s</translation>
    </message>
    <message>
        <source>Between failures, by the rate</source>
        <translation>故障间隔，按故障率</translation>
    </message>
    <message>
        <source>Between failures, h</source>
        <translation>故障间隔，h</translation>
    </message>
    <message>
        <source>DP</source>
        <translation>DP</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>估算</translation>
    </message>
    <message>
        <source>Failures per GPU and day, %</source>
        <translation>每 GPU 每天故障率，%</translation>
    </message>
    <message>
        <source>Filled in from %1 where recorded.</source>
        <translation>已记录的项取自 %1。</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>注意力头数</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Memory per GPU</source>
        <translation>每 GPU 显存</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>Micro-batch</translation>
    </message>
    <message>
        <source>PP</source>
        <translation>PP</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Recomputation</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Save every (Daly 2006)</source>
        <translation>保存间隔（Daly 2006）</translation>
    </message>
    <message>
        <source>Save every (Young 1974)</source>
        <translation>保存间隔（Young 1974）</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Share of the dense peak, %</source>
        <translation>占稠密峰值比例，%</translation>
    </message>
    <message>
        <source>TP</source>
        <translation>TP</translation>
    </message>
    <message>
        <source>To begin with another cluster&apos;s: %1</source>
        <translation>起始取其他集群的值：%1</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>训练时间</translation>
    </message>
    <message>
        <source>Type numbers as 175e9, 175 B or 1.4 T.</source>
        <translation>数字可写作 175e9、175 B 或 1.4 T。</translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation>ZeRO</translation>
    </message>
    <message>
        <source>from the rate</source>
        <translation>按故障率</translation>
    </message>
    <message>
        <source>needs GPUs and a rate</source>
        <translation>需要 GPU 数与故障率</translation>
    </message>
    <message>
        <source>needs parameters, tokens, GPUs, a device with a published peak, and the share of the peak</source>
        <translation>需要参数量、tokens、GPU 数、有公布峰值的设备及占峰值比例</translation>
    </message>
    <message>
        <source>needs the number of parameters</source>
        <translation>需要参数量</translation>
    </message>
    <message>
        <source>needs what a save costs, and a time between failures or GPUs and a rate</source>
        <translation>需要保存耗时，以及故障间隔或 GPU 数与故障率</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>run %1</translation>
    </message>
    <message>
        <source>sequence parallel</source>
        <translation>序列并行</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>stage %1</translation>
    </message>
    <message>
        <source>the parts below</source>
        <translation>以下各部分之和</translation>
    </message>
    <message>
        <source>the parts below; the device has %1</source>
        <translation>以下各部分之和；设备有 %1</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
</context>
<context>
    <name>runglass::EventLane</name>
    <message>
        <source>Events over time</source>
        <translation>事件随时间分布</translation>
    </message>
    <message>
        <source>events and log lines</source>
        <translation>事件与日志行</translation>
    </message>
    <message>
        <source>severity</source>
        <translation>级别</translation>
    </message>
</context>
<context>
    <name>runglass::EventModel</name>
    <message>
        <source>%1 places</source>
        <translation>%1 处</translation>
    </message>
    <message>
        <source>How bad its source says it is.</source>
        <translation>来源给出的严重程度。</translation>
    </message>
    <message>
        <source>Node, device and rank.</source>
        <translation>节点、设备与 rank。</translation>
    </message>
    <message>
        <source>Of an event or finding; a log line says its stream beside the list.</source>
        <translation>事件或结论的类型；日志行的日志流见侧栏。</translation>
    </message>
    <message>
        <source>Repeats within 10 minutes are one row: → opens it.</source>
        <translation>10 分钟内的重复合并为一行：→ 展开。</translation>
    </message>
    <message>
        <source>Time on the corrected clock; exact to the nanosecond in the tooltip and in copies.</source>
        <translation>校正后时钟的时间；提示与复制中精确到纳秒。</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>severity</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>where</source>
        <translation>位置</translation>
    </message>
</context>
<context>
    <name>runglass::EventPanel</name>
    <message>
        <source>The event and the lines around it</source>
        <translation>该事件及其前后的日志行</translation>
    </message>
    <message>
        <source>What lies around it cannot be read: %1</source>
        <translation>无法读取其前后内容：%1</translation>
    </message>
</context>
<context>
    <name>runglass::EventsView</name>
    <message>
        <source>%1 batches of agents were not kept. %2</source>
        <translation>%1 批 agent 数据未保留。%2</translation>
    </message>
    <message>
        <source>%1 rows and %2 batches of agents were not kept. %3</source>
        <translation>%1 行与 %2 批 agent 数据未保留。%3</translation>
    </message>
    <message>
        <source>%1 rows were not kept. %2</source>
        <translation>%1 行未保留。%2</translation>
    </message>
    <message>
        <source>%1%2 rows</source>
        <translation>%1%2 行</translation>
    </message>
    <message>
        <source>Agents send hardware events, kernel messages and the trainers&apos; log lines; imports bring those of stored runs.</source>
        <translation>agent 发送硬件事件、内核消息与训练日志行；导入则带来已存 run 的这些内容。</translation>
    </message>
    <message>
        <source>All lines</source>
        <translation>全部行</translation>
    </message>
    <message>
        <source>Critical</source>
        <translation>严重</translation>
    </message>
    <message>
        <source>Errors and worse</source>
        <translation>错误及以上</translation>
    </message>
    <message>
        <source>Esc clears the search; “All lines” also shows what is below a warning; Ctrl+Home shows the whole run.</source>
        <translation>Esc 清除搜索；“全部行”还显示警告以下的行；Ctrl+Home 显示整个 run。</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Events and log lines</source>
        <translation>事件与日志行</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Kind of rows</source>
        <translation>行的种类</translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation>日志行</translation>
    </message>
    <message>
        <source>No node is called %1.</source>
        <translation>没有名为 %1 的节点。</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Nothing has happened yet.</source>
        <translation>尚未发生任何事件。</translation>
    </message>
    <message>
        <source>Nothing of this kind in this window.</source>
        <translation>此窗口没有此类内容。</translation>
    </message>
    <message>
        <source>Only the window</source>
        <translation>仅此窗口</translation>
    </message>
    <message>
        <source>Reading the events …</source>
        <translation>正在读取事件 …</translation>
    </message>
    <message>
        <source>Search events and logs</source>
        <translation>搜索事件与日志</translation>
    </message>
    <message>
        <source>Search: words, &quot;phrase&quot;, begin*, -without, node:NAME, rank:N, kind:NAME  ( / )</source>
        <translation>搜索：词、&quot;短语&quot;、前缀*、-排除、node:名称、rank:N、kind:名称  ( / )</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>The events cannot be read.</source>
        <translation>无法读取事件。</translation>
    </message>
    <message>
        <source>The list still has the rows from before a row was opened.</source>
        <translation>列表仍是打开某行之前的行。</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>常用</translation>
    </message>
    <message>
        <source>Usual: events, and log lines of severity warning and above; a search covers all log lines.</source>
        <translation>常用：事件，以及警告及以上级别的日志行；搜索覆盖所有日志行。</translation>
    </message>
    <message>
        <source>Warnings and worse</source>
        <translation>警告及以上</translation>
    </message>
    <message>
        <source>node:NAME needs the full name of the node, as in the GPUs view.</source>
        <translation>node:名称 需为 GPU 视图中的完整名称。</translation>
    </message>
    <message>
        <source>▲ %1%2 newer</source>
        <translation>▲ %1%2 条更新</translation>
    </message>
</context>
<context>
    <name>runglass::EvidenceCard</name>
    <message>
        <source>Caption; empty: what the picture shows</source>
        <translation>图注；留空则为图的内容</translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation>无内容</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>读取中</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Takes this card out of the incident. Its data stays in the store.</source>
        <translation>从事故中移除此卡片。数据仍保留在 store 中。</translation>
    </message>
    <message>
        <source>This card could not be read</source>
        <translation>无法读取此卡片</translation>
    </message>
</context>
<context>
    <name>runglass::EvidencePanel</name>
    <message>
        <source>%1 log: %2</source>
        <translation>%1 日志：%2</translation>
    </message>
    <message>
        <source>Asking its machine …</source>
        <translation>正在查询其主机 …</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>已复制：%1</translation>
    </message>
    <message>
        <source>Copy cordon (Kubernetes)</source>
        <translation>复制 cordon（Kubernetes）</translation>
    </message>
    <message>
        <source>Copy drain (Slurm)</source>
        <translation>复制 drain（Slurm）</translation>
    </message>
    <message>
        <source>Copy hosts</source>
        <translation>复制主机名</translation>
    </message>
    <message>
        <source>Copy pair test</source>
        <translation>复制成对测试</translation>
    </message>
    <message>
        <source>If fixed …</source>
        <translation>若修复 …</translation>
    </message>
    <message>
        <source>It is not known which node it runs on.</source>
        <translation>其所在节点未知。</translation>
    </message>
    <message>
        <source>Its steps have no clock: its machine cannot be asked.</source>
        <translation>其步没有时钟：无法查询其主机。</translation>
    </message>
    <message>
        <source>No parts of its steps are known, or it has too few peers to compare them with.</source>
        <translation>其步内各部分未知，或同类太少无法比较。</translation>
    </message>
    <message>
        <source>No warnings from its node in this window.</source>
        <translation>此窗口内其节点没有警告。</translation>
    </message>
    <message>
        <source>Not recorded: %1</source>
        <translation>未记录：%1</translation>
    </message>
    <message>
        <source>Ruled out:</source>
        <translation>已排除：</translation>
    </message>
    <message>
        <source>Step time without this rank&apos;s delay</source>
        <translation>没有它时每步的耗时</translation>
    </message>
    <message>
        <source>The hosts of the chosen rows, comma-separated</source>
        <translation>所选行的主机，以逗号分隔</translation>
    </message>
    <message>
        <source>The machine&apos;s readings could not be read: %1</source>
        <translation>无法读取主机的读数：%1</translation>
    </message>
    <message>
        <source>The step in which it took most more than its peers</source>
        <translation>与同类相比多耗时最多的步</translation>
    </message>
    <message>
        <source>There is no %1 to copy: the node is not known, or it is the only one.</source>
        <translation>没有可复制的 %1：节点未知，或只有这一个。</translation>
    </message>
    <message>
        <source>Timeline at its worst step</source>
        <translation>最差步处的时间轴</translation>
    </message>
    <message>
        <source>command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>kubectl cordon …, as text; nothing is run</source>
        <translation>kubectl cordon …，仅文本；不会执行</translation>
    </message>
    <message>
        <source>nccl-tests of this node with a healthy one, and of two healthy ones</source>
        <translation>此节点与一个健康节点的 nccl-tests，以及两个健康节点的</translation>
    </message>
    <message>
        <source>scontrol update … state=drain, as text; nothing is run</source>
        <translation>scontrol update … state=drain，仅文本；不会执行</translation>
    </message>
</context>
<context>
    <name>runglass::Finder</name>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>No step %1 with a time is recorded.</source>
        <translation>未记录带时间的第 %1 步。</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置项</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>User guide</source>
        <translation>用户指南</translation>
    </message>
</context>
<context>
    <name>runglass::FindingCard</name>
    <message>
        <source>Capture now</source>
        <translation>立即 capture</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy its sentence</source>
        <translation>复制该结论</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>证据</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Make an incident of it (I)</source>
        <translation>据此建立事故 (I)</translation>
    </message>
    <message>
        <source>Muted for 2 h</source>
        <translation>已静音 2 小时</translation>
    </message>
    <message>
        <source>Not muted: %1</source>
        <translation>未静音：%1</translation>
    </message>
    <message>
        <source>Open its GPU and node</source>
        <translation>打开其 GPU 与节点</translation>
    </message>
    <message>
        <source>Open the timeline at its time</source>
        <translation>在其时间打开时间轴</translation>
    </message>
    <message>
        <source>Open the view that shows its evidence (Enter)</source>
        <translation>打开显示其证据的视图 (Enter)</translation>
    </message>
    <message>
        <source>Record stacks, process states and logs of all nodes</source>
        <translation>记录所有节点的堆栈、进程状态与日志</translation>
    </message>
    <message>
        <source>Send no notifications of its cause for two hours</source>
        <translation>两小时内不发送其原因的通知</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间轴</translation>
    </message>
</context>
<context>
    <name>runglass::FindingsView</name>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>Duration; – while it lasts, or if the source has no clock.</source>
        <translation>时长；– 表示仍在持续，或来源没有时钟。</translation>
    </message>
    <message>
        <source>Filter findings  ( / )</source>
        <translation>筛选结论  ( / )</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Findings cannot be read.</source>
        <translation>无法读取结论。</translation>
    </message>
    <message>
        <source>It was not analyzed yet, or no analysis found anything; the store does not record which. To analyze it:</source>
        <translation>它尚未分析，或分析没有发现问题；store 未记录是哪一种。要分析：</translation>
    </message>
    <message>
        <source>Loading findings …</source>
        <translation>正在加载结论 …</translation>
    </message>
    <message>
        <source>No findings are stored for this run.</source>
        <translation>此 run 没有已存储的结论。</translation>
    </message>
    <message>
        <source>The conclusion of the analysis.</source>
        <translation>分析的结论。</translation>
    </message>
    <message>
        <source>When it began; – where the source has no clock.</source>
        <translation>开始时间；– 表示来源没有时钟。</translation>
    </message>
    <message>
        <source>concluded after the run</source>
        <translation>run 结束后得出</translation>
    </message>
    <message>
        <source>confidence %1</source>
        <translation>置信度 %1</translation>
    </message>
    <message>
        <source>finding</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>for</source>
        <translation>持续</translation>
    </message>
    <message>
        <source>published %1</source>
        <translation>%1 发布</translation>
    </message>
    <message>
        <source>since</source>
        <translation>起始</translation>
    </message>
</context>
<context>
    <name>runglass::GoToField</name>
    <message>
        <source>step 1234, 11:58:45.2 or +12.5 s</source>
        <translation>step 1234、11:58:45.2 或 +12.5 s</translation>
    </message>
</context>
<context>
    <name>runglass::GoodputPanel</name>
    <message>
        <source>%1 older attempts are not shown</source>
        <translation>更早的 %1 个 attempt 未显示</translation>
    </message>
    <message>
        <source>Attempts and where their time went</source>
        <translation>各 attempt 及其时间去向</translation>
    </message>
    <message>
        <source>Restarts. %1</source>
        <translation>重启。%1</translation>
    </message>
    <message>
        <source>attempt</source>
        <translation>attempt</translation>
    </message>
    <message>
        <source>how it went</source>
        <translation>经过</translation>
    </message>
</context>
<context>
    <name>runglass::GpuGrid</name>
    <message>
        <source>%1, rank %2</source>
        <translation>%1，rank %2</translation>
    </message>
    <message>
        <source>%1: no data</source>
        <translation>%1：无数据</translation>
    </message>
    <message numerus="yes">
        <source>%n more open finding(s)</source>
        <translation>
            <numerusform>另有 %n 条未结结论</numerusform>
        </translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPUs by host</source>
        <translation>按主机排列的 GPU</translation>
    </message>
    <message>
        <source>at its power cap</source>
        <translation>达功率上限</translation>
    </message>
    <message>
        <source>last report %1 ago</source>
        <translation>%1 前最近上报</translation>
    </message>
    <message>
        <source>never reported</source>
        <translation>从未上报</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>reporting</source>
        <translation>上报中</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>used by %1</source>
        <translation>使用者：%1</translation>
    </message>
    <message>
        <source>■ Xid in the last hour</source>
        <translation>■ 近 1 小时有 Xid</translation>
    </message>
    <message>
        <source>▭ MIG instances: %1</source>
        <translation>▭ MIG 实例：%1</translation>
    </message>
    <message>
        <source>▭ MIG is on: divided into instances</source>
        <translation>▭ MIG 已开启：划分为实例</translation>
    </message>
    <message>
        <source>◆ NVLink errors since the driver was loaded</source>
        <translation>◆ 自驱动加载以来有 NVLink 错误</translation>
    </message>
    <message>
        <source>● row remap pending: needs a reset</source>
        <translation>● 待行重映射：需要重置</translation>
    </message>
    <message>
        <source>◣ clocks throttled by heat or hardware</source>
        <translation>◣ 因过热或硬件降频</translation>
    </message>
</context>
<context>
    <name>runglass::GpuSide</name>
    <message>
        <source>Click: show only these</source>
        <translation>点击：只显示这些</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Groups of GPUs</source>
        <translation>GPU 分组</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>differs in</source>
        <translation>差异项</translation>
    </message>
    <message>
        <source>group</source>
        <translation>组</translation>
    </message>
</context>
<context>
    <name>runglass::GpusView</name>
    <message>
        <source>All GPUs as a list, the worst first (L)</source>
        <translation>所有 GPU 列表，最差在前 (L)</translation>
    </message>
    <message>
        <source>Compare this GPU&apos;s rank with its peers</source>
        <translation>比较此 GPU 的 rank 与其同类</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Filter GPUs  ( / )</source>
        <translation>筛选 GPU  ( / )</translation>
    </message>
    <message>
        <source>GPUs of the host</source>
        <translation>该主机的 GPU</translation>
    </message>
    <message>
        <source>Metric of the colour: keys W, 1 to 9 and 0</source>
        <translation>颜色所用指标：按键 W、1 至 9 与 0</translation>
    </message>
    <message>
        <source>No agent has reported from this run, and its files name no machines.</source>
        <translation>没有 agent 为此 run 上报，其文件也未指明机器。</translation>
    </message>
    <message>
        <source>No hosts</source>
        <translation>无主机</translation>
    </message>
    <message>
        <source>Open the events of this GPU and its node</source>
        <translation>打开此 GPU 及其节点的事件</translation>
    </message>
    <message>
        <source>Open the timeline of this GPU&apos;s rank (double click on its cell)</source>
        <translation>打开此 GPU 的 rank 的时间轴（双击其单元）</translation>
    </message>
    <message>
        <source>Order of the hosts: by rack and name, or by their ranks in the job (R)</source>
        <translation>主机顺序：按机架与名称，或按其在作业中的 rank (R)</translation>
    </message>
    <message>
        <source>Outlier GPUs</source>
        <translation>离群 GPU</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>排名</translation>
    </message>
    <message>
        <source>Reading the devices …</source>
        <translation>正在读取设备 …</translation>
    </message>
    <message>
        <source>The devices could not be read</source>
        <translation>无法读取设备</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间轴</translation>
    </message>
    <message>
        <source>as a list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>by rack</source>
        <translation>按机架</translation>
    </message>
    <message>
        <source>by rank</source>
        <translation>按 rank</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
</context>
<context>
    <name>runglass::GuideDialog</name>
    <message>
        <source>What am I seeing: %1</source>
        <translation>说明：%1</translation>
    </message>
</context>
<context>
    <name>runglass::HangList</name>
    <message>
        <source>%1 of %2 inside, %3</source>
        <translation>%2 个中 %1 个已进入，%3</translation>
    </message>
    <message>
        <source>%1 waits further</source>
        <translation>间隔 %1 层等待</translation>
    </message>
    <message>
        <source>Blocked by these</source>
        <translation>被其阻塞</translation>
    </message>
    <message>
        <source>Blocked first</source>
        <translation>最先阻塞</translation>
    </message>
    <message>
        <source>and %1 more that wait for these</source>
        <translation>另有 %1 个在等待它们</translation>
    </message>
</context>
<context>
    <name>runglass::Headline</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>runglass::HeatMap</name>
    <message>
        <source>furthest from its peers</source>
        <translation>与同类相差最大</translation>
    </message>
    <message>
        <source>not compared</source>
        <translation>未比较</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
    </message>
</context>
<context>
    <name>runglass::HeatScale</name>
    <message>
        <source>Scale of the colours</source>
        <translation>颜色刻度</translation>
    </message>
    <message>
        <source>computes</source>
        <translation>计算中</translation>
    </message>
    <message>
        <source>has not entered</source>
        <translation>未进入</translation>
    </message>
    <message>
        <source>no data</source>
        <translation>无数据</translation>
    </message>
    <message>
        <source>no value</source>
        <translation>无值</translation>
    </message>
    <message>
        <source>not seen there</source>
        <translation>未在该处出现</translation>
    </message>
    <message>
        <source>silent</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>to a step in which all were equal (1)</source>
        <translation>与全部相等的步相比 (1)</translation>
    </message>
    <message>
        <source>to the median %1</source>
        <translation>与中位数 %1 相比</translation>
    </message>
    <message>
        <source>to the median of the same stage: %1</source>
        <translation>与同 stage 中位数相比：%1</translation>
    </message>
    <message>
        <source>to the median of the same stage: %1 to %2</source>
        <translation>与同 stage 中位数相比：%1 至 %2</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>waits at the root</source>
        <translation>在根源处等待</translation>
    </message>
    <message>
        <source>waits behind that</source>
        <translation>在其后等待</translation>
    </message>
</context>
<context>
    <name>runglass::HubPanel</name>
    <message>
        <source>A hub is HOST:PORT or unix:PATH</source>
        <translation>hub 为 HOST:PORT 或 unix:PATH</translation>
    </message>
    <message>
        <source>A socket and the end of an ssh tunnel need no CA. Commands: Connect a cluster.</source>
        <translation>socket 与 ssh 隧道端无需 CA。命令见“连接集群”。</translation>
    </message>
    <message>
        <source>CA of its certificate</source>
        <translation>其证书的 CA</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Followed before</source>
        <translation>曾连接</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>Hub</translation>
    </message>
    <message>
        <source>Its key</source>
        <translation>其私钥</translation>
    </message>
    <message>
        <source>Own certificate</source>
        <translation>自身证书</translation>
    </message>
    <message>
        <source>The hub runs elsewhere; this window replicates it over one connection and reconnects after cuts. The replica is in %1 and continues next time.</source>
        <translation>hub 运行于别处；此窗口经单一连接复制它，断线后重连。副本位于 %1，下次继续。</translation>
    </message>
    <message>
        <source>Token file</source>
        <translation>Token 文件</translation>
    </message>
    <message>
        <source>if the hub requires one instead of a token</source>
        <translation>若 hub 要求证书而非 token</translation>
    </message>
    <message>
        <source>readers/NAME/ca.pem; without it only hubs of this machine and tunnels to it</source>
        <translation>readers/NAME/ca.pem；没有则只能连接本机 hub 与隧道</translation>
    </message>
    <message>
        <source>readers/NAME/token of runglassctl pair; mode 0600</source>
        <translation>runglassctl pair 的 readers/NAME/token；权限 0600</translation>
    </message>
</context>
<context>
    <name>runglass::IdlePanel</name>
    <message>
        <source>%1. A PyTorch profiler trace, an Nsight Systems export, exact steps of the CUDA tracer, parts of steps from the client or an agent&apos;s GPU metrics would show it.</source>
        <translation>%1。PyTorch profiler trace、Nsight Systems 导出、CUDA tracer 的精确步、客户端的步内各部分或 agent 的 GPU 指标可显示它。</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Click: its longest stretch in the timeline</source>
        <translation>点击：在时间轴中查看其最长一段</translation>
    </message>
    <message>
        <source>GPU idle …</source>
        <translation>GPU 空闲 …</translation>
    </message>
    <message>
        <source>GPU idle, explained</source>
        <translation>GPU 空闲及其原因</translation>
    </message>
    <message>
        <source>GPU idle, explained: %1 %2 (%3)</source>
        <translation>GPU 空闲及其原因：%2 %1（%3）</translation>
    </message>
    <message>
        <source>GPU idle, explained: %1, waiting for peers %2, %3 (%4)</source>
        <translation>GPU 空闲及其原因：%3 %1，等待同类 %2（%4）</translation>
    </message>
    <message>
        <source>GPU idle: could not be read: %1</source>
        <translation>GPU 空闲：无法读取：%1</translation>
    </message>
    <message>
        <source>GPU idle: not recorded</source>
        <translation>GPU 空闲：未记录</translation>
    </message>
    <message>
        <source>cause</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>confidence %1</source>
        <translation>置信度 %1</translation>
    </message>
    <message>
        <source>evidence</source>
        <translation>证据</translation>
    </message>
    <message>
        <source>not recorded: %1</source>
        <translation>未记录：%1</translation>
    </message>
    <message>
        <source>not recorded: %1: %2</source>
        <translation>未记录：%1：%2</translation>
    </message>
    <message>
        <source>noticeable in steps %1 to %2</source>
        <translation>在第 %1 至 %2 步中明显</translation>
    </message>
    <message>
        <source>share of step time</source>
        <translation>占步耗时</translation>
    </message>
    <message>
        <source>slow, not idle: %1</source>
        <translation>变慢而非空闲：%1</translation>
    </message>
</context>
<context>
    <name>runglass::ImpactLine</name>
    <message>
        <source>Impact</source>
        <translation>影响</translation>
    </message>
    <message>
        <source>how it is known</source>
        <translation>如何得知</translation>
    </message>
    <message>
        <source>impact</source>
        <translation>影响</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
</context>
<context>
    <name>runglass::ImportPanel</name>
    <message>
        <source> and more</source>
        <translation> 等</translation>
    </message>
    <message>
        <source>%1 of %2%3 files can be imported.</source>
        <translation>%2%3 个文件中可导入 %1 个。</translation>
    </message>
    <message>
        <source>Drop files or folders here, or choose them: TensorBoard events, training logs, PyTorch and Nsight traces, NCCL flight recorder dumps, nvidia-smi and CSV telemetry, kernel logs; also .gz .bz2 .zst .xz .tar.</source>
        <translation>把文件或目录拖到此处，或选择：TensorBoard 事件、训练日志、PyTorch 与 Nsight trace、NCCL flight recorder dump、nvidia-smi 与 CSV 遥测、内核日志；也支持 .gz .bz2 .zst .xz .tar。</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Files …</source>
        <translation>文件 …</translation>
    </message>
    <message>
        <source>Filter files</source>
        <translation>筛选文件</translation>
    </message>
    <message>
        <source>Folder …</source>
        <translation>目录 …</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Import a folder</source>
        <translation>导入目录</translation>
    </message>
    <message>
        <source>Import files</source>
        <translation>导入文件</translation>
    </message>
    <message>
        <source>Into the store</source>
        <translation>导入到 store</translation>
    </message>
    <message>
        <source>looking at the files</source>
        <translation>正在检查文件</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentCards</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add the selection of the shown window as an evidence card</source>
        <translation>所示窗口中的所选内容，保留为卡片</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>证据</translation>
    </message>
    <message>
        <source>Evidence: %1 card, kept at full resolution</source>
        <translation>证据：%1 张卡片，以完整分辨率保留</translation>
    </message>
    <message>
        <source>Evidence: %1 cards, kept at full resolution</source>
        <translation>证据：%1 张卡片，以完整分辨率保留</translation>
    </message>
    <message>
        <source>Evidence: no card yet; Add keeps what is selected in the shown window</source>
        <translation>证据：尚无卡片；“添加”保留所示窗口中的所选内容</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentCommands</name>
    <message>
        <source>Choose one and press I, or press Shift+I: of the selection and the shown time.</source>
        <translation>选择一项后按 I，或按 Shift+I：按选择与显示的时间。</translation>
    </message>
    <message>
        <source>Incident</source>
        <translation>事故</translation>
    </message>
    <message>
        <source>New from the chosen finding or event</source>
        <translation>由所选结论或事件新建</translation>
    </message>
    <message>
        <source>New from the selection and the shown time</source>
        <translation>由选择与显示的时间新建</translation>
    </message>
    <message>
        <source>No finding or event is chosen</source>
        <translation>未选择结论或事件</translation>
    </message>
    <message>
        <source>No incident was made</source>
        <translation>未建立事故</translation>
    </message>
    <message>
        <source>Nothing is chosen that this could be done to</source>
        <translation>请先选择结论或事件</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentEditor</name>
    <message>
        <source>Not changed (%1): the incident was changed since.</source>
        <translation>未更改（%1）：该事故此后已被修改。</translation>
    </message>
    <message>
        <source>Not made (%1): %2</source>
        <translation>未执行（%1）：%2</translation>
    </message>
    <message>
        <source>Not made (%1): the incident is not there any more.</source>
        <translation>未执行（%1）：该事故已不存在。</translation>
    </message>
    <message>
        <source>Not saved (%1): %2</source>
        <translation>未保存（%1）：%2</translation>
    </message>
    <message>
        <source>Not saved (%1): the incident was deleted.</source>
        <translation>未保存（%1）：该事故已被删除。</translation>
    </message>
    <message>
        <source>Saved: %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>Saving …</source>
        <translation>正在保存 …</translation>
    </message>
    <message>
        <source>This store cannot be edited.</source>
        <translation>此 store 不可编辑。</translation>
    </message>
    <message>
        <source>delete it</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>undone: %1</source>
        <translation>已撤销：%1</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentFacts</name>
    <message>
        <source>Suspects, what was ruled out, changes, data quality</source>
        <translation>嫌疑对象、已排除项、变更、数据质量</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentHead</name>
    <message>
        <source>%1 findings</source>
        <translation>%1 条结论</translation>
    </message>
    <message>
        <source>%1 suggests: %2</source>
        <translation>%1 建议：%2</translation>
    </message>
    <message>
        <source>1 finding</source>
        <translation>1 条结论</translation>
    </message>
    <message>
        <source>Accept it first.</source>
        <translation>请先接受它。</translation>
    </message>
    <message>
        <source>GPU-hour: </source>
        <translation>GPU 小时：</translation>
    </message>
    <message>
        <source>Its cause in a sentence</source>
        <translation>根因概述</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>放弃我的修改</translation>
    </message>
    <message>
        <source>Make my change of it</source>
        <translation>应用我的修改</translation>
    </message>
    <message>
        <source>No finding belongs to it, and its cause is not recorded.</source>
        <translation>没有结论属于它，根因未记录。</translation>
    </message>
    <message>
        <source>Not a problem because …  (Enter; Esc leaves it as it is)</source>
        <translation>不是问题，因为 …  (Enter；Esc 保持原样)</translation>
    </message>
    <message>
        <source>Not saved: this incident was changed since it was read: %1. Your change: %2.</source>
        <translation>未保存：此事故自读取后已被修改：%1。你的修改：%2。</translation>
    </message>
    <message>
        <source>Price of a GPU-hour</source>
        <translation>每 GPU 小时价格</translation>
    </message>
    <message>
        <source>Price per GPU-hour …</source>
        <translation>每 GPU 小时价格 …</translation>
    </message>
    <message>
        <source>Root cause</source>
        <translation>根因</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Take it</source>
        <translation>采纳</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>What it is put down to; the counts are those of Llama 3, 54 days on 16 384 GPUs (arXiv 2407.21783, table 5)</source>
        <translation>归因；计数取自 Llama 3，16 384 个 GPU 上 54 天（arXiv 2407.21783，表 5）</translation>
    </message>
    <message>
        <source>What one GPU costs an hour, in your currency. Kept on this machine; 0: no money is shown.</source>
        <translation>每个 GPU 每小时的价格，以你的货币计。保存在本机；0：不显示金额。</translation>
    </message>
    <message>
        <source>Why it is not a problem</source>
        <translation>为何不是问题</translation>
    </message>
    <message>
        <source>attempt %1</source>
        <translation>attempt %1</translation>
    </message>
    <message>
        <source>not a problem because %1</source>
        <translation>不是问题，因为 %1</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>open; mitigated: it runs again, the cause is still there; resolved; dismissed: not a problem</source>
        <translation>未结；已缓解：已恢复运行，原因仍在；已解决；已驳回：不是问题</translation>
    </message>
    <message>
        <source>proposed</source>
        <translation>提议</translation>
    </message>
    <message>
        <source>root cause</source>
        <translation>根因</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentLanes</name>
    <message>
        <source>%1 less severe entries are left out.</source>
        <translation>略去 %1 条较轻的条目。</translation>
    </message>
    <message>
        <source>Filter the timeline  ( / )</source>
        <translation>筛选时间线  ( / )</translation>
    </message>
    <message>
        <source>It has no time, so it has no timeline.</source>
        <translation>它没有时间，因此没有时间线。</translation>
    </message>
    <message>
        <source>Nothing was recorded in its time.</source>
        <translation>其时间内没有记录。</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentListPanel</name>
    <message>
        <source>%1; %2</source>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>%1; what one of them cost is not known</source>
        <translation>%1；其中有的代价未知</translation>
    </message>
    <message>
        <source>Accept</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>Dismiss …</source>
        <translation>驳回 …</translation>
    </message>
    <message>
        <source>Incidents</source>
        <translation>事故</translation>
    </message>
    <message>
        <source>Incidents: %1, %2 open</source>
        <translation>事故：%1，%2 个未结</translation>
    </message>
    <message>
        <source>Its findings and evidence join an incident that is there</source>
        <translation>其结论与证据并入已有的事故</translation>
    </message>
    <message>
        <source>Its findings, evidence and notes join another incident, and it is dismissed</source>
        <translation>其结论、证据与备注并入另一事故，本事故被驳回</translation>
    </message>
    <message>
        <source>Make an incident of the time window and the selection (Shift+I)</source>
        <translation>由时间窗口与所选内容建立事故 (Shift+I)</translation>
    </message>
    <message>
        <source>Make it an incident, with its findings and evidence</source>
        <translation>将其建立为事故，包含其结论与证据</translation>
    </message>
    <message>
        <source>Merge into</source>
        <translation>并入</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Not a problem because …  (Enter)</source>
        <translation>不是问题，因为 …  (Enter)</translation>
    </message>
    <message>
        <source>Proposed incidents</source>
        <translation>提议的事故</translation>
    </message>
    <message>
        <source>Proposed: %1</source>
        <translation>提议：%1</translation>
    </message>
    <message>
        <source>Proposed: %1; %2 findings were too many to look at</source>
        <translation>提议：%1；另有 %2 条结论过多，未检查</translation>
    </message>
    <message>
        <source>Say why it is no problem; it is not proposed again unless it gets worse</source>
        <translation>说明为何不是问题；除非恶化，否则不再提议</translation>
    </message>
    <message>
        <source>What they cost together, without those dismissed: a restart that several of them count is in it once</source>
        <translation>合计代价，不含已驳回者：多个事故共有的重启只计一次</translation>
    </message>
    <message>
        <source>Why it is not a problem</source>
        <translation>为何不是问题</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentMaker</name>
    <message>
        <source>New incident: %1</source>
        <translation>新建事故：%1</translation>
    </message>
    <message>
        <source>The finding belongs to the incident “%1”</source>
        <translation>该结论属于事故“%1”</translation>
    </message>
    <message>
        <source>The finding joined the incident “%1”</source>
        <translation>该结论已并入事故“%1”</translation>
    </message>
    <message>
        <source>This store cannot be edited.</source>
        <translation>此 store 不可编辑。</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentNotes</name>
    <message>
        <source>Another user&apos;s notes are stored and shown first, yours below. Save replaces theirs with yours.</source>
        <translation>另一用户的备注已保存并显示在前，你的在下。保存将以你的替换。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>No notes yet.</source>
        <translation>尚无备注。</translation>
    </message>
    <message>
        <source>Not saved; what you typed is still here.</source>
        <translation>未保存；你输入的内容仍在此处。</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Notes (Markdown)</source>
        <translation>备注（Markdown）</translation>
    </message>
    <message>
        <source>Notes, as Markdown</source>
        <translation>备注，Markdown 格式</translation>
    </message>
    <message>
        <source>Observations, attempts and decisions. Markdown; Ctrl+Enter saves, Esc leaves.</source>
        <translation>看到、尝试与决定了什么。Markdown；Ctrl+Enter 保存，Esc 离开。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Saving …</source>
        <translation>正在保存 …</translation>
    </message>
    <message>
        <source>Too long: at most %1 KiB are kept.</source>
        <translation>过长：最多保留 %1 KiB。</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentShare</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete the incident with its notes and cards, and unpin its data?</source>
        <translation>删除该事故及其备注与卡片，并取消固定其数据？</translation>
    </message>
    <message>
        <source>Delete …</source>
        <translation>删除 …</translation>
    </message>
    <message>
        <source>Export .rgl …</source>
        <translation>导出 .rgl …</translation>
    </message>
    <message>
        <source>Export .rgl …  (about %1)</source>
        <translation>导出 .rgl …（约 %1）</translation>
    </message>
    <message>
        <source>Export report …</source>
        <translation>导出报告 …</translation>
    </message>
    <message>
        <source>Export the incident</source>
        <translation>导出事故</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Nothing can be exported here.</source>
        <translation>此处无法导出。</translation>
    </message>
    <message>
        <source>One file with only this incident&apos;s data; it opens here with the incident selected. The size is the store&apos;s times the share of its points</source>
        <translation>单个文件，只含此事故的数据；打开时选中该事故。大小为 store 大小乘以其点数占比</translation>
    </message>
    <message>
        <source>Report as PDF, HTML, Markdown or JSON, with preview and redaction</source>
        <translation>导出为 PDF、HTML、Markdown 或 JSON 报告，可预览与脱敏</translation>
    </message>
    <message>
        <source>Runglass stores (*.rgl)</source>
        <translation>Runglass store (*.rgl)</translation>
    </message>
    <message>
        <source>Take back: %1 (Ctrl+Z)</source>
        <translation>撤回：%1 (Ctrl+Z)</translation>
    </message>
    <message>
        <source>The export was cancelled; no file is left.</source>
        <translation>导出已取消；未留下文件。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Writing %1 …</source>
        <translation>正在写入 %1 …</translation>
    </message>
    <message>
        <source>Writing: %1</source>
        <translation>正在写入：%1</translation>
    </message>
    <message>
        <source>Writing: %1 of about %2</source>
        <translation>正在写入：%1 / 约 %2</translation>
    </message>
    <message>
        <source>Wrote %1: %2</source>
        <translation>已写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>runglass::IncidentsView</name>
    <message>
        <source>Accept it first.</source>
        <translation>请先接受它。</translation>
    </message>
    <message>
        <source>Incidents</source>
        <translation>事故</translation>
    </message>
    <message>
        <source>Incidents and run log</source>
        <translation>事故与 run 日志</translation>
    </message>
    <message>
        <source>Incidents are of a run.</source>
        <translation>事故属于某个 run。</translation>
    </message>
    <message>
        <source>Make one from a finding (I) or a selection (Shift+I).</source>
        <translation>由结论 (I) 或所选内容 (Shift+I) 建立。</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>No incident.</source>
        <translation>无事故。</translation>
    </message>
    <message>
        <source>No run in this store yet.</source>
        <translation>此 store 尚无 run。</translation>
    </message>
    <message>
        <source>Reading the incident …</source>
        <translation>正在读取事故 …</translation>
    </message>
    <message>
        <source>Reading the incidents …</source>
        <translation>正在读取事故 …</translation>
    </message>
    <message>
        <source>Run log</source>
        <translation>run 日志</translation>
    </message>
    <message>
        <source>The incident cannot be read.</source>
        <translation>无法读取该事故。</translation>
    </message>
    <message>
        <source>The incidents cannot be read.</source>
        <translation>无法读取事故。</translation>
    </message>
    <message>
        <source>a card less</source>
        <translation>少一张卡片</translation>
    </message>
    <message>
        <source>a card more</source>
        <translation>多一张卡片</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>已接受</translation>
    </message>
    <message>
        <source>caption: %1</source>
        <translation>图注：%1</translation>
    </message>
    <message>
        <source>dismissed</source>
        <translation>已驳回</translation>
    </message>
    <message>
        <source>merged: %1</source>
        <translation>已合并：%1</translation>
    </message>
    <message>
        <source>notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>root cause: %1</source>
        <translation>根因：%1</translation>
    </message>
    <message>
        <source>sentence: %1</source>
        <translation>概述：%1</translation>
    </message>
    <message>
        <source>state: %1</source>
        <translation>状态：%1</translation>
    </message>
    <message>
        <source>title: %1</source>
        <translation>标题：%1</translation>
    </message>
</context>
<context>
    <name>runglass::LaneStrip</name>
    <message>
        <source>Timeline: what happened, what was known when</source>
        <translation>时间线：发生了什么，何时已知什么</translation>
    </message>
    <message>
        <source>lane</source>
        <translation>轨道</translation>
    </message>
    <message>
        <source>minutes since the first sign</source>
        <translation>距首个迹象的分钟数</translation>
    </message>
    <message>
        <source>what</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>what happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>what was known</source>
        <translation>知晓了什么</translation>
    </message>
</context>
<context>
    <name>runglass::LogbookPage</name>
    <message>
        <source>%1 %2 events are left out.</source>
        <translation>%1 略去 %2 个事件。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>A note for the run log</source>
        <translation>run 日志的备注</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add a note, about the run as a whole  (Enter)</source>
        <translation>添加关于整个 run 的备注 (Enter)</translation>
    </message>
    <message>
        <source>Add a note, at %1  (Enter)</source>
        <translation>添加 %1 的备注 (Enter)</translation>
    </message>
    <message>
        <source>Add a note, now  (Enter)</source>
        <translation>添加此刻的备注 (Enter)</translation>
    </message>
    <message>
        <source>Export as Markdown …</source>
        <translation>导出为 Markdown …</translation>
    </message>
    <message>
        <source>Export the run log</source>
        <translation>导出 run 日志</translation>
    </message>
    <message>
        <source>Filter the run log  ( / )</source>
        <translation>筛选 run 日志  ( / )</translation>
    </message>
    <message>
        <source>Loading the run log …</source>
        <translation>正在读取 run 日志 …</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>No run in this store yet.</source>
        <translation>此 store 尚无 run。</translation>
    </message>
    <message>
        <source>Noted.</source>
        <translation>已添加。</translation>
    </message>
    <message>
        <source>Run log</source>
        <translation>run 日志</translation>
    </message>
    <message>
        <source>Saving …</source>
        <translation>正在保存 …</translation>
    </message>
    <message>
        <source>The run log belongs to a run.</source>
        <translation>run 日志属于某个 run。</translation>
    </message>
    <message>
        <source>The run log cannot be read.</source>
        <translation>无法读取 run 日志。</translation>
    </message>
    <message>
        <source>This store cannot be edited.</source>
        <translation>此 store 不可编辑。</translation>
    </message>
    <message>
        <source>Wrote %1: %2</source>
        <translation>已写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>runglass::MainWindow</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>About this view</source>
        <translation>关于此视图</translation>
    </message>
    <message>
        <source>Add %1 to this layout</source>
        <translation>把%1加入此布局</translation>
    </message>
    <message>
        <source>Add panel</source>
        <translation>添加面板</translation>
    </message>
    <message>
        <source>All keys</source>
        <translation>全部快捷键</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Capture now</source>
        <translation>立即 capture</translation>
    </message>
    <message>
        <source>Collapse or expand the navigation</source>
        <translation>折叠或展开导航栏</translation>
    </message>
    <message>
        <source>Connect to a hub</source>
        <translation>连接 hub</translation>
    </message>
    <message>
        <source>Connect to a hub …</source>
        <translation>连接 hub …</translation>
    </message>
    <message>
        <source>Context menu</source>
        <translation>上下文菜单</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy link to this place</source>
        <translation>复制此处链接</translation>
    </message>
    <message>
        <source>Ctrl+wheel, W, S</source>
        <translation>Ctrl+滚轮、W、S</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>更早</translation>
    </message>
    <message>
        <source>End</source>
        <translation>End</translation>
    </message>
    <message>
        <source>Estimate …</source>
        <translation>估算 …</translation>
    </message>
    <message>
        <source>Export report …</source>
        <translation>导出报告 …</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Find …</source>
        <translation>查找 …</translation>
    </message>
    <message>
        <source>Float or dock the view with the focus</source>
        <translation>浮动或停靠当前视图</translation>
    </message>
    <message>
        <source>Follow the newest data</source>
        <translation>跟随最新数据</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前进</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>Go</source>
        <translation>转到</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>更晚</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>N, Shift+N</source>
        <translation>N、Shift+N</translation>
    </message>
    <message>
        <source>No run has come yet: %1</source>
        <translation>尚无 run：%1</translation>
    </message>
    <message>
        <source>No run in this store yet.</source>
        <translation>此 store 尚无 run。</translation>
    </message>
    <message>
        <source>No store is open.</source>
        <translation>没有打开的 store。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open a store</source>
        <translation>打开 store</translation>
    </message>
    <message>
        <source>Open a store …</source>
        <translation>打开 store …</translation>
    </message>
    <message>
        <source>Pause or resume</source>
        <translation>暂停或继续</translation>
    </message>
    <message>
        <source>Pause the views while data keeps arriving, or resume (Space)</source>
        <translation>暂停视图（数据继续接收），或继续 (Space)</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Paused · %1 new</source>
        <translation>已暂停 · %1 条新数据</translation>
    </message>
    <message>
        <source>Playhead: next event or finding</source>
        <translation>播放头：下一个事件或结论</translation>
    </message>
    <message>
        <source>Playhead: next step</source>
        <translation>播放头：下一步</translation>
    </message>
    <message>
        <source>Playhead: now</source>
        <translation>播放头：现在</translation>
    </message>
    <message>
        <source>Playhead: play or stop</source>
        <translation>播放头：播放或停止</translation>
    </message>
    <message>
        <source>Playhead: previous event or finding</source>
        <translation>播放头：上一个事件或结论</translation>
    </message>
    <message>
        <source>Playhead: previous step</source>
        <translation>播放头：上一步</translation>
    </message>
    <message>
        <source>Plots</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Reading the store …</source>
        <translation>正在读取 store …</translation>
    </message>
    <message>
        <source>Reset this layout</source>
        <translation>重置此布局</translation>
    </message>
    <message>
        <source>Runglass stores (*.rgl);;All files (*)</source>
        <translation>Runglass store (*.rgl);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Send a test notification</source>
        <translation>发送测试通知</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings …</source>
        <translation>设置 …</translation>
    </message>
    <message>
        <source>Shift+drag, middle drag</source>
        <translation>Shift+拖动、中键拖动</translation>
    </message>
    <message>
        <source>Shift+wheel, A, D, ← →</source>
        <translation>Shift+滚轮、A、D、← →</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>起始页</translation>
    </message>
    <message>
        <source>Switch between UTC and local time</source>
        <translation>切换 UTC 与本地时间</translation>
    </message>
    <message>
        <source>Switch between dark and light</source>
        <translation>切换深色与浅色</translation>
    </message>
    <message>
        <source>Test of the alerts</source>
        <translation>告警测试</translation>
    </message>
    <message>
        <source>The run had not begun.</source>
        <translation>当时 run 尚未开始。</translation>
    </message>
    <message>
        <source>The whole run</source>
        <translation>整个 run</translation>
    </message>
    <message>
        <source>Theme, size, time zone, first view (Ctrl+,)</source>
        <translation>主题、大小、时区、首个视图 (Ctrl+,)</translation>
    </message>
    <message>
        <source>Trace kernels …</source>
        <translation>追踪 kernel …</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>click on a mark</source>
        <translation>单击标记</translation>
    </message>
    <message>
        <source>double click, Home</source>
        <translation>双击、Home</translation>
    </message>
    <message>
        <source>drag</source>
        <translation>拖动</translation>
    </message>
    <message>
        <source>earlier, later</source>
        <translation>更早、更晚</translation>
    </message>
    <message>
        <source>follow the newest data, now</source>
        <translation>跟随最新数据、现在</translation>
    </message>
    <message>
        <source>in curves: next, previous loss spike</source>
        <translation>曲线中：下一个、上一个 loss 尖峰</translation>
    </message>
    <message>
        <source>move</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>open of warning severity or above</source>
        <translation>个未解决，警告及以上</translation>
    </message>
    <message>
        <source>show everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>the window moves there</source>
        <translation>窗口移到该处</translation>
    </message>
    <message>
        <source>unread</source>
        <translation>未读</translation>
    </message>
    <message>
        <source>zoom at the cursor; with Shift faster</source>
        <translation>以光标为中心缩放；按 Shift 更快</translation>
    </message>
    <message>
        <source>zoom into the range</source>
        <translation>放大到选区</translation>
    </message>
</context>
<context>
    <name>runglass::MakingLine</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>runglass::MarkEditor</name>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Notes cannot be added here.</source>
        <translation>此处无法添加备注。</translation>
    </message>
    <message>
        <source>Save (Enter)</source>
        <translation>保存 (Enter)</translation>
    </message>
    <message>
        <source>What happened here?</source>
        <translation>此处发生了什么？</translation>
    </message>
</context>
<context>
    <name>runglass::Navigation</name>
    <message>
        <source>%1, %2 %3</source>
        <translation>%1，%2 %3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>A live run at a glance: overview, GPUs and findings</source>
        <translation>实时 run 总览：概览、GPU 与结论</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>Conclude</source>
        <translation>定论</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展开</translation>
    </message>
    <message>
        <source>Investigate</source>
        <translation>排查</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Run 列表</translation>
    </message>
    <message>
        <source>Show icons only</source>
        <translation>仅显示图标</translation>
    </message>
</context>
<context>
    <name>runglass::ObjectEdits</name>
    <message>
        <source>Incident</source>
        <translation>事故</translation>
    </message>
    <message>
        <source>Incidents are made of findings, events and ranks.</source>
        <translation>事故由结论、事件和 rank 建立。</translation>
    </message>
    <message>
        <source>It has no time.</source>
        <translation>它没有时间。</translation>
    </message>
    <message>
        <source>Mark</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>Mute for 2 h</source>
        <translation>静音 2 小时</translation>
    </message>
    <message>
        <source>Only findings can be muted here.</source>
        <translation>此处只能静音结论。</translation>
    </message>
    <message>
        <source>This store is read-only.</source>
        <translation>此 store 为只读。</translation>
    </message>
</context>
<context>
    <name>runglass::ObjectMenu</name>
    <message>
        <source>Copy SQL</source>
        <translation>复制 SQL</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>复制链接</translation>
    </message>
    <message>
        <source>Copy value</source>
        <translation>复制值</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Marked in the timeline</source>
        <translation>已在时间轴标记</translation>
    </message>
    <message>
        <source>Muted for 2 h</source>
        <translation>已静音 2 小时</translation>
    </message>
    <message>
        <source>Not marked</source>
        <translation>未标记</translation>
    </message>
    <message>
        <source>Not muted</source>
        <translation>未静音</translation>
    </message>
    <message>
        <source>Open in</source>
        <translation>打开于</translation>
    </message>
</context>
<context>
    <name>runglass::OverviewView</name>
    <message>
        <source>No run yet</source>
        <translation>尚无 run</translation>
    </message>
    <message>
        <source>Plot against time or against the training step (X)</source>
        <translation>以时间或训练步作横轴 (X)</translation>
    </message>
    <message>
        <source>Reading the run …</source>
        <translation>正在读取 run …</translation>
    </message>
    <message>
        <source>Show the findings</source>
        <translation>显示结论</translation>
    </message>
    <message>
        <source>Steps of this run have no times: curves have steps only</source>
        <translation>此 run 的步没有时间：曲线只有步</translation>
    </message>
    <message>
        <source>The run could not be read</source>
        <translation>无法读取 run</translation>
    </message>
    <message>
        <source>This store holds no training run so far.</source>
        <translation>此 store 尚无训练 run。</translation>
    </message>
    <message>
        <source>against step</source>
        <translation>按步</translation>
    </message>
    <message>
        <source>against time</source>
        <translation>按时间</translation>
    </message>
</context>
<context>
    <name>runglass::Palette</name>
    <message>
        <source>Curve</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>匹配项</translation>
    </message>
    <message>
        <source>No match for “%1” yet. The names of the store are being read.</source>
        <translation>“%1”暂无匹配。正在读取 store 的名称。</translation>
    </message>
    <message>
        <source>No match for “%1”.</source>
        <translation>“%1”没有匹配。</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Rank, node, GPU, step, time, run, finding, curve, setting, command, help</source>
        <translation>rank、节点、GPU、步、时间、run、结论、曲线、设置、命令、帮助</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Run</translation>
    </message>
    <message>
        <source>Span</source>
        <translation>Span</translation>
    </message>
    <message>
        <source>The names of the store could not be read: %1</source>
        <translation>无法读取 store 的名称：%1</translation>
    </message>
</context>
<context>
    <name>runglass::PaletteNames</name>
    <message>
        <source>%1 series</source>
        <translation>%1 条序列</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>rank %1</translation>
    </message>
</context>
<context>
    <name>runglass::PanelWindow</name>
    <message>
        <source>Dock %1 again</source>
        <translation>重新停靠%1</translation>
    </message>
</context>
<context>
    <name>runglass::PartBars</name>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
    <message>
        <source>Nothing to draw: steady steps with a duration are needed on both sides.</source>
        <translation>没有可绘制的内容：两侧都需要带时长的稳态步。</translation>
    </message>
    <message>
        <source>Parts of a step, A and B</source>
        <translation>步内各部分，A 与 B</translation>
    </message>
    <message>
        <source>Step parts are not recorded on both sides.</source>
        <translation>两侧未都记录步内各部分。</translation>
    </message>
    <message>
        <source>Step, by part: means, so that the differences sum to the step&apos;s</source>
        <translation>步的组成：均值，各差值之和等于步的差值</translation>
    </message>
    <message>
        <source>mean of a step</source>
        <translation>步的均值</translation>
    </message>
    <message>
        <source>part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
</context>
<context>
    <name>runglass::PlaceHeatMap</name>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1，%2：%3</translation>
    </message>
    <message>
        <source>%1, %2: %3 (rank %4)</source>
        <translation>%1，%2：%3（rank %4）</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>未记录</translation>
    </message>
</context>
<context>
    <name>runglass::Playhead</name>
    <message>
        <source> (and %1 more)</source>
        <translation>（另有 %1 个）</translation>
    </message>
    <message>
        <source>, step %1</source>
        <translation>，第 %1 步</translation>
    </message>
    <message>
        <source>; %1 ago</source>
        <translation>；%1 前</translation>
    </message>
    <message>
        <source>; %1 before the end</source>
        <translation>；结束前 %1</translation>
    </message>
    <message>
        <source>; the end</source>
        <translation>；结束处</translation>
    </message>
    <message>
        <source>as of %1</source>
        <translation>截至 %1</translation>
    </message>
    <message>
        <source>no earlier step</source>
        <translation>没有更早的步</translation>
    </message>
    <message>
        <source>no event or finding after this</source>
        <translation>此后没有事件或结论</translation>
    </message>
    <message>
        <source>no event or finding before this</source>
        <translation>此前没有事件或结论</translation>
    </message>
    <message>
        <source>no later step</source>
        <translation>没有更晚的步</translation>
    </message>
</context>
<context>
    <name>runglass::PlotWidget</name>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>and %1 more; zoom in</source>
        <translation>另有 %1 个；请放大</translation>
    </message>
    <message>
        <source>curve</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>highest</source>
        <translation>最高</translation>
    </message>
    <message>
        <source>lowest</source>
        <translation>最低</translation>
    </message>
    <message>
        <source>newest</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>panel</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
</context>
<context>
    <name>runglass::PrometheusPanel</name>
    <message>
        <source>2026-11-20T21:43:00Z; empty: an hour before the end</source>
        <translation>2026-11-20T21:43:00Z；留空：结束前一小时</translation>
    </message>
    <message>
        <source>2026-11-20T22:43:00Z; empty: now</source>
        <translation>2026-11-20T22:43:00Z；留空：现在</translation>
    </message>
    <message>
        <source>Access file</source>
        <translation>访问文件</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>Import and open</source>
        <translation>导入并打开</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Nodes: %1 · GPUs: %2 · known metrics: %3 · other metrics, not imported: %4</source>
        <translation>节点：%1 · GPU：%2 · 已知指标：%3 · 其他指标（不导入）：%4</translation>
    </message>
    <message>
        <source>Selector</source>
        <translation>选择器</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Slurm job</source>
        <translation>Slurm 作业</translation>
    </message>
    <message>
        <source>The metrics of GPUs, hosts and the network that a Prometheus, VictoriaMetrics, Thanos or Mimir has of a job or a window become a store in %1.</source>
        <translation>Prometheus、VictoriaMetrics、Thanos 或 Mimir 中某个作业或时间窗口的 GPU、主机和网络指标会成为 %1 中的一个 store。</translation>
    </message>
    <message>
        <source>The server answers, but has no metrics of GPUs, hosts, ports or collectives for this.</source>
        <translation>服务器有应答，但没有与此对应的 GPU、主机、端口或集合通信指标。</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Waiting for %1</source>
        <translation>正在等待 %1</translation>
    </message>
    <message>
        <source>gpu-[001-128],login; empty: all</source>
        <translation>gpu-[001-128],login；留空：全部</translation>
    </message>
    <message>
        <source>its id; the job has a window and nodes of its own</source>
        <translation>作业 ID；作业自带时间窗口和节点</translation>
    </message>
    <message>
        <source>token, CA, headers (TOML, mode 0600); empty: none</source>
        <translation>令牌、CA、标头（TOML，权限 0600）；留空：无</translation>
    </message>
    <message>
        <source>{cluster=&quot;a&quot;}; empty: all series</source>
        <translation>{cluster=&quot;a&quot;}；留空：全部序列</translation>
    </message>
</context>
<context>
    <name>runglass::RankHeatMap</name>
    <message>
        <source>hatched: not recorded</source>
        <translation>斜线：未记录</translation>
    </message>
    <message>
        <source>plain: ± 2 %</source>
        <translation>素色：± 2 %</translation>
    </message>
    <message>
        <source>rank %1, step %2: %3 compared with the median of its peers</source>
        <translation>rank %1，第 %2 步：与同类中位数相比 %3</translation>
    </message>
    <message>
        <source>rank %1, step %2: not compared</source>
        <translation>rank %1，第 %2 步：未比较</translation>
    </message>
    <message>
        <source>rank × step, against the peers&apos; median</source>
        <translation>rank × 步，与同类中位数相比</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
</context>
<context>
    <name>runglass::RankPartBars</name>
    <message>
        <source>Parts of a step of this rank and its peers</source>
        <translation>此 rank 与同类的步内各部分</translation>
    </message>
    <message>
        <source>a step&apos;s parts: the rank above, its peers&apos; median below; hatched: waiting</source>
        <translation>步内各部分：上为该 rank，下为同类中位数；斜线：等待</translation>
    </message>
    <message>
        <source>part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>waiting of its peers</source>
        <translation>同类的等待</translation>
    </message>
    <message>
        <source>work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>work of its peers</source>
        <translation>同类的工作</translation>
    </message>
    <message>
        <source>work · peers · wait · peers</source>
        <translation>工作 · 同类 · 等待 · 同类</translation>
    </message>
</context>
<context>
    <name>runglass::RankingView</name>
    <message>
        <source>Comparing the ranks …</source>
        <translation>正在比较各 rank …</translation>
    </message>
    <message>
        <source>DP × PP</source>
        <translation>DP × PP</translation>
    </message>
    <message>
        <source>Filter ranks  ( / )</source>
        <translation>筛选 rank  ( / )</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Grouping of the table&apos;s rows</source>
        <translation>表格每行的对象</translation>
    </message>
    <message>
        <source>Heat maps</source>
        <translation>热图</translation>
    </message>
    <message>
        <source>No step times yet</source>
        <translation>尚无步耗时</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>排名</translation>
    </message>
    <message>
        <source>Ranking and what-if</source>
        <translation>排名与 what-if</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Ranks are compared by the work of their steps, and no rank of this run recorded any. Trainers record it with runglass.py (runglass.step, runglass.span with part=…); profiler traces with steps bring step times.</source>
        <translation>rank 按每步的工作比较，而此 run 没有 rank 记录步。训练程序可用 runglass.py 记录（runglass.step、带 part=… 的 runglass.span）；含步的 profiler trace 可提供步耗时。</translation>
    </message>
    <message>
        <source>Rows: %1</source>
        <translation>行：%1</translation>
    </message>
    <message>
        <source>The ranking could not be made</source>
        <translation>无法生成排名</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>What-if</translation>
    </message>
    <message>
        <source>host × GPU</source>
        <translation>主机 × GPU</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>racks</source>
        <translation>机架</translation>
    </message>
    <message>
        <source>rank %1: %2 compared with its peers</source>
        <translation>rank %1：与同类相比 %2</translation>
    </message>
    <message>
        <source>rank × step</source>
        <translation>rank × 步</translation>
    </message>
    <message>
        <source>ranks, by node</source>
        <translation>rank（按节点）</translation>
    </message>
    <message>
        <source>switches</source>
        <translation>交换机</translation>
    </message>
</context>
<context>
    <name>runglass::ReportDialog</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>A4</source>
        <translation>A4</translation>
    </message>
    <message>
        <source>Becomes</source>
        <translation>替换为</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Choose a folder.</source>
        <translation>请选择目录。</translation>
    </message>
    <message>
        <source>Choose at least one kind of file.</source>
        <translation>请至少选择一种文件。</translation>
    </message>
    <message>
        <source>Choose …</source>
        <translation>选择 …</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Folder of the report</source>
        <translation>报告目录</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>主机名</translation>
    </message>
    <message>
        <source>Letter</source>
        <translation>Letter</translation>
    </message>
    <message>
        <source>Network addresses</source>
        <translation>网络地址</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>下一页</translation>
    </message>
    <message>
        <source>No page</source>
        <translation>无页面</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开目录</translation>
    </message>
    <message>
        <source>Page %1 of %2</source>
        <translation>第 %1 页，共 %2 页</translation>
    </message>
    <message>
        <source>Page of the report</source>
        <translation>报告页</translation>
    </message>
    <message>
        <source>Paper</source>
        <translation>纸张</translation>
    </message>
    <message>
        <source>Paths</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>Price of a GPU-hour</source>
        <translation>每 GPU 小时价格</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>正在读取 …</translation>
    </message>
    <message>
        <source>Replaced before anything is written</source>
        <translation>写出前替换</translation>
    </message>
    <message>
        <source>Stopped; nothing was written.</source>
        <translation>已停止；未写出任何内容。</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Tokens and secrets</source>
        <translation>token 与密钥</translation>
    </message>
    <message>
        <source>Users and e-mail addresses</source>
        <translation>用户与邮箱地址</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>What would be replaced</source>
        <translation>将被替换的内容</translation>
    </message>
    <message>
        <source>Writing …</source>
        <translation>正在写出 …</translation>
    </message>
    <message>
        <source>Written:
%1</source>
        <translation>已写出：
%1</translation>
    </message>
    <message>
        <source>none: no money is shown</source>
        <translation>无：不显示金额</translation>
    </message>
    <message>
        <source>stays</source>
        <translation>保留</translation>
    </message>
</context>
<context>
    <name>runglass::RewindDialog</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy --iterations-to-skip</source>
        <translation>复制 --iterations-to-skip</translation>
    </message>
    <message>
        <source>Falcon: latest checkpoint, 1 B tokens</source>
        <translation>Falcon：最新 checkpoint，1 B token</translation>
    </message>
    <message>
        <source>Looking for spikes …</source>
        <translation>正在查找尖峰 …</translation>
    </message>
    <message>
        <source>Megatron-LM&apos;s argument alone, for the command that starts your job</source>
        <translation>仅 Megatron-LM 的参数，用于启动作业的命令</translation>
    </message>
    <message>
        <source>No plan: %1</source>
        <translation>无方案：%1</translation>
    </message>
    <message>
        <source>PaLM: 100 steps before, 200 to 500 batches</source>
        <translation>PaLM：回退 100 步，跳过 200 至 500 个 batch</translation>
    </message>
    <message>
        <source>Plan a rewind</source>
        <translation>规划 rewind</translation>
    </message>
    <message>
        <source>The plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>The spikes could not be read: %1</source>
        <translation>无法读取尖峰：%1</translation>
    </message>
    <message>
        <source>The whole plan. Runglass runs nothing: paste it where you need it</source>
        <translation>完整方案。Runglass 不执行任何操作：请粘贴到需要之处</translation>
    </message>
    <message>
        <source>This curve has no spike.</source>
        <translation>此曲线没有尖峰。</translation>
    </message>
    <message>
        <source>Which recorded practice to follow: where to start again, and how much data to leave out</source>
        <translation>遵循哪种公开做法：从何处重新开始，跳过多少数据</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>spike</source>
        <translation>尖峰</translation>
    </message>
    <message>
        <source>… and %1 more: runglassctl rewind --step plans for any step</source>
        <translation>…另有 %1 个：runglassctl rewind --step 可为任意步规划</translation>
    </message>
</context>
<context>
    <name>runglass::RulesDialog</name>
    <message>
        <source>Applying every rule to every point …</source>
        <translation>正在对每个点应用所有规则 …</translation>
    </message>
    <message>
        <source>Could not be read: %1</source>
        <translation>无法读取：%1</translation>
    </message>
    <message>
        <source>Filter rules</source>
        <translation>筛选规则</translation>
    </message>
    <message>
        <source>Spike rules</source>
        <translation>尖峰规则</translation>
    </message>
    <message>
        <source>Spike rules on %1</source>
        <translation>%1 的尖峰规则</translation>
    </message>
    <message>
        <source>The same curve under each rule, with the rule&apos;s own window and warm-up. Only Runglass&apos; rule raises findings.</source>
        <translation>同一曲线在各规则下的结果，使用规则自身的窗口与预热。只有 Runglass 的规则产生结论。</translation>
    </message>
</context>
<context>
    <name>runglass::RunStrip</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 (simulated)</source>
        <translation>%1（模拟）</translation>
    </message>
    <message>
        <source>%1 old</source>
        <translation>%1 前</translation>
    </message>
    <message numerus="yes">
        <source>%n chunk(s) left out</source>
        <translation>
            <numerusform>跳过 %n 个数据块</numerusform>
        </translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>As the run says; silent: it calls itself running, but nothing arrived for 15 s.</source>
        <translation>以 run 自报为准；失联：自报运行中，但 15 s 没有数据到达。</translation>
    </message>
    <message>
        <source>Findings of the analyses by severity.</source>
        <translation>按级别统计的分析结论。</translation>
    </message>
    <message>
        <source>Newest point of &quot;%1&quot;, unsmoothed.</source>
        <translation>“%1”的最新点，未平滑。</translation>
    </message>
    <message>
        <source>Newest sample of this run: %1</source>
        <translation>此 run 的最新样本：%1</translation>
    </message>
    <message>
        <source>No durable checkpoint is known.</source>
        <translation>没有已落盘的 checkpoint 记录。</translation>
    </message>
    <message>
        <source>No node is known for this run.</source>
        <translation>此 run 没有节点记录。</translation>
    </message>
    <message>
        <source>Nodes that reported within the last 15 s, of all nodes of the run.</source>
        <translation>最近 15 s 内上报的节点 / run 的全部节点。</translation>
    </message>
    <message>
        <source>Open findings of severity warning and above, as in the window&apos;s title; all findings, ended ones included: %1.</source>
        <translation>警告及以上级别的未结结论，与窗口标题一致；全部结论（含已结束）：%1。</translation>
    </message>
    <message>
        <source>Run / attempt. %1</source>
        <translation>Run / attempt。%1</translation>
    </message>
    <message>
        <source>Run strip</source>
        <translation>run 状态条</translation>
    </message>
    <message>
        <source>The largest step of the newest attempt.</source>
        <translation>最新 attempt 的最大步数。</translation>
    </message>
    <message>
        <source>The newest durable checkpoint: step %1</source>
        <translation>最新已落盘的 checkpoint：第 %1 步</translation>
    </message>
    <message>
        <source>The source has no clock.</source>
        <translation>来源没有时钟。</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>checkpoint</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>findings</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>loss</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>none open</source>
        <translation>无未结结论</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>throughput</source>
        <translation>吞吐</translation>
    </message>
</context>
<context>
    <name>runglass::RunsView</name>
    <message>
        <source>Filter runs  ( / )</source>
        <translation>筛选 run  ( / )</translation>
    </message>
    <message>
        <source>No run in this store yet.</source>
        <translation>此 store 尚无 run。</translation>
    </message>
    <message>
        <source>Reading the runs of this store …</source>
        <translation>正在读取此 store 的 run …</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Run 列表</translation>
    </message>
    <message>
        <source>Runs appear as soon as a training process, an agent or an import says something about one.</source>
        <translation>训练进程、agent 或导入一旦涉及某个 run，它就会出现。</translation>
    </message>
    <message>
        <source>The restarts cannot be read: %1</source>
        <translation>无法读取重启：%1</translation>
    </message>
    <message>
        <source>The runs cannot be read.</source>
        <translation>无法读取 run。</translation>
    </message>
</context>
<context>
    <name>runglass::SettingsDialog</name>
    <message>
        <source>Colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Colours for deuteranopia and protanopia</source>
        <translation>适合红绿色弱的颜色</translation>
    </message>
    <message>
        <source>Comfortable</source>
        <translation>宽松</translation>
    </message>
    <message>
        <source>Compact</source>
        <translation>紧凑</translation>
    </message>
    <message>
        <source>Connect to a hub …</source>
        <translation>连接 hub …</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Density</source>
        <translation>密度</translation>
    </message>
    <message>
        <source>First view of a store</source>
        <translation>store 的首个视图</translation>
    </message>
    <message>
        <source>Hub addresses</source>
        <translation>Hub 地址</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Local time (%1)</source>
        <translation>本地时间（%1）</translation>
    </message>
    <message>
        <source>Play a sound with notifications</source>
        <translation>通知时播放声音</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>Retention</source>
        <translation>保留策略</translation>
    </message>
    <message>
        <source>Same as the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Set where the store is written: runglassctl serve --max-store-gib N deletes the oldest data first.</source>
        <translation>在写入 store 处设置：runglassctl serve --max-store-gib N 会先删除最旧的数据。</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Size of text and controls</source>
        <translation>文字与控件大小</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Text changes at once; icons and spacing at the next start.</source>
        <translation>文字立即生效；图标与间距在下次启动时生效。</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>时区</translation>
    </message>
    <message>
        <source>UTC</source>
        <translation>UTC</translation>
    </message>
</context>
<context>
    <name>runglass::ShortcutSheet</name>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
</context>
<context>
    <name>runglass::SidePanels</name>
    <message numerus="yes">
        <source>%n more in Findings</source>
        <translation>
            <numerusform>另有 %n 条，见“结论”</numerusform>
        </translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Findings and slow nodes</source>
        <translation>结论与慢节点</translation>
    </message>
    <message>
        <source>None stored for this run.</source>
        <translation>此 run 没有存储的结论。</translation>
    </message>
    <message>
        <source>Nothing to compare: two nodes with step durations and waiting times are needed.</source>
        <translation>没有可比较的内容：需要两个有步耗时与等待时间的节点。</translation>
    </message>
    <message>
        <source>Own work vs the stage median</source>
        <translation>每步自身工作，与其 stage 中位数相比</translation>
    </message>
    <message>
        <source>being read …</source>
        <translation>读取中 …</translation>
    </message>
    <message>
        <source>own work %1 compared with the stage median, waits %2</source>
        <translation>自身工作与其 stage 中位数相比 %1，等待 %2</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>waits %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>what</source>
        <translation>内容</translation>
    </message>
</context>
<context>
    <name>runglass::StatePanel</name>
    <message>
        <source>As of the moment in the bar above. Ctrl+End shows now.</source>
        <translation>截至上方时间条所示时刻。Ctrl+End 显示现在。</translation>
    </message>
</context>
<context>
    <name>runglass::StatusLine</name>
    <message>
        <source>%1 samples/s</source>
        <translation>%1 samples/s</translation>
    </message>
    <message>
        <source>Agents connected now.</source>
        <translation>当前连接的 agent。</translation>
    </message>
    <message>
        <source>Data received from the hub in the last second, compressed.</source>
        <translation>最近一秒从 hub 收到的数据（压缩后）。</translation>
    </message>
    <message>
        <source>Duration of the newest answered query; %1 queued or running.</source>
        <translation>最近一次查询的耗时；%1 个排队或运行中。</translation>
    </message>
    <message>
        <source>From the agent&apos;s reading to the store, newest batch; – where no hub runs in this process.</source>
        <translation>最新批次从 agent 读取到入库的延迟；– 表示此进程没有 hub。</translation>
    </message>
    <message>
        <source>Records that were lost on the way and counted; the view Data quality lists them.</source>
        <translation>途中丢失并已计数的记录；“数据质量”视图列出它们。</translation>
    </message>
    <message>
        <source>Samples that arrived in the last seconds.</source>
        <translation>最近几秒到达的样本。</translation>
    </message>
    <message>
        <source>Times are shown in this zone; Ctrl+U switches.</source>
        <translation>时间按此时区显示；Ctrl+U 切换。</translation>
    </message>
    <message>
        <source>Where the data of this window comes from.</source>
        <translation>此窗口数据的来源。</translation>
    </message>
    <message>
        <source>agents %1</source>
        <translation>agent %1</translation>
    </message>
    <message>
        <source>drops %1</source>
        <translation>丢弃 %1</translation>
    </message>
    <message>
        <source>ingest %1</source>
        <translation>写入 %1</translation>
    </message>
    <message>
        <source>lag %1</source>
        <translation>延迟 %1</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>线路 %1</translation>
    </message>
    <message>
        <source>no source</source>
        <translation>无来源</translation>
    </message>
    <message>
        <source>query %1</source>
        <translation>查询 %1</translation>
    </message>
    <message>
        <source>store %1</source>
        <translation>store %1</translation>
    </message>
</context>
<context>
    <name>runglass::StepChart</name>
    <message>
        <source>%1, begins %2 into the step</source>
        <translation>%1，步开始后 %2 开始</translation>
    </message>
    <message>
        <source>&lt;b&gt;thick line&lt;/b&gt;: the critical path</source>
        <translation>&lt;b&gt;粗线&lt;/b&gt;：关键路径</translation>
    </message>
    <message>
        <source>B backward</source>
        <translation>B 反向</translation>
    </message>
    <message>
        <source>F forward</source>
        <translation>F 前向</translation>
    </message>
    <message>
        <source>Operations of the step</source>
        <translation>该步的操作</translation>
    </message>
    <message>
        <source>W weight gradients</source>
        <translation>W 权重梯度</translation>
    </message>
    <message>
        <source>and began %1 after it</source>
        <translation>并在其后 %1 开始</translation>
    </message>
    <message>
        <source>communication (hatched: waiting for peers)</source>
        <translation>通信（斜线：等待同类）</translation>
    </message>
    <message>
        <source>delayed by %1</source>
        <translation>被 %1 拖住</translation>
    </message>
    <message>
        <source>hatched: no computation</source>
        <translation>斜线：无计算</translation>
    </message>
    <message>
        <source>of it %1 waiting for its peers</source>
        <translation>其中 %1 在等待同类</translation>
    </message>
    <message>
        <source>on the critical path</source>
        <translation>位于关键路径</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>stage %1</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
</context>
<context>
    <name>runglass::StepPage</name>
    <message>
        <source>%1 (came last)</source>
        <translation>%1（最后到达）</translation>
    </message>
    <message>
        <source>%1 (other replica)</source>
        <translation>%1（其他副本）</translation>
    </message>
    <message>
        <source>%1 of %2 recorded steps · %3 · %4 of the stages&apos; time without computation</source>
        <translation>已记录 %2 步中的第 %1 步 · %3 · stage 时间的 %4 没有计算</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>No dependencies to show</source>
        <translation>没有可显示的依赖</translation>
    </message>
    <message>
        <source>Reading the step …</source>
        <translation>正在读取该步 …</translation>
    </message>
    <message>
        <source>Spans that name their step, micro-batch and operation come from runglass.py, ndtimeline or StragglerAnalysis traces</source>
        <translation>标明步、micro-batch 与操作的 span 来自 runglass.py、ndtimeline 或 StragglerAnalysis trace</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>The replica whose stages are shown</source>
        <translation>显示其各 stage 的副本</translation>
    </message>
    <message>
        <source>The step could not be read</source>
        <translation>无法读取该步</translation>
    </message>
    <message>
        <source>after a gap of ms</source>
        <translation>间隔 ms</translation>
    </message>
    <message>
        <source>before %1</source>
        <translation>%1 之前</translation>
    </message>
    <message>
        <source>between operations (launch, host)</source>
        <translation>操作之间（启动、主机）</translation>
    </message>
    <message>
        <source>click an operation</source>
        <translation>点击一个操作</translation>
    </message>
    <message>
        <source>critical path of the step</source>
        <translation>该步的关键路径</translation>
    </message>
    <message>
        <source>from ms</source>
        <translation>起始 ms</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>no sends and receives are recorded</source>
        <translation>未记录 send 与 recv</translation>
    </message>
    <message>
        <source>replica dp %1</source>
        <translation>副本 dp %1</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>the whole step</source>
        <translation>整步</translation>
    </message>
    <message>
        <source>waiting that nothing explains</source>
        <translation>无法解释的等待</translation>
    </message>
    <message>
        <source>what it waited for, last first</source>
        <translation>它等待的对象，最后者在前</translation>
    </message>
</context>
<context>
    <name>runglass::StoreSession</name>
    <message>
        <source>sent</source>
        <translation>已发送</translation>
    </message>
</context>
<context>
    <name>runglass::TableView</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Filter: %1</source>
        <translation>筛选：%1</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
</context>
<context>
    <name>runglass::TagFilter</name>
    <message>
        <source>%1 at character %2</source>
        <translation>第 %2 个字符处：%1</translation>
    </message>
    <message>
        <source>the pattern is longer than %1 characters</source>
        <translation>表达式长于 %1 个字符</translation>
    </message>
</context>
<context>
    <name>runglass::TagTree</name>
    <message>
        <source>%1 curves, by step</source>
        <translation>%1 条曲线，按步</translation>
    </message>
    <message>
        <source>%1 curves, by step, in %2</source>
        <translation>%1 条曲线，按步，单位 %2</translation>
    </message>
    <message>
        <source>%1 curves, by time</source>
        <translation>%1 条曲线，按时间</translation>
    </message>
    <message>
        <source>%1 curves, by time, in %2</source>
        <translation>%1 条曲线，按时间，单位 %2</translation>
    </message>
    <message>
        <source>%1 points</source>
        <translation>%1 个点</translation>
    </message>
</context>
<context>
    <name>runglass::TileRow</name>
    <message>
        <source>Numbers of the run</source>
        <translation>该 run 的数值</translation>
    </message>
    <message>
        <source>comparison</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>tile</source>
        <translation>指标块</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
</context>
<context>
    <name>runglass::TimeBar</name>
    <message>
        <source>Back to now (End)</source>
        <translation>回到现在 (End)</translation>
    </message>
    <message>
        <source>End of the next step (Ctrl+Right)</source>
        <translation>下一步的末尾 (Ctrl+Right)</translation>
    </message>
    <message>
        <source>End of the previous step (Ctrl+Left)</source>
        <translation>上一步的末尾 (Ctrl+Left)</translation>
    </message>
    <message>
        <source>Next event or finding (N)</source>
        <translation>下一个事件或结论 (N)</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>Play at the selected speed (Shift+Space)</source>
        <translation>按所选速度播放 (Shift+Space)</translation>
    </message>
    <message>
        <source>Previous event or finding (Shift+N)</source>
        <translation>上一个事件或结论 (Shift+N)</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Stop (Shift+Space)</source>
        <translation>停止 (Shift+Space)</translation>
    </message>
</context>
<context>
    <name>runglass::TimelineCanvas</name>
    <message>
        <source>%1 on screen</source>
        <translation>屏幕上 %1</translation>
    </message>
    <message>
        <source>%1 spans in %2, busy %3, mostly %4</source>
        <translation>%2 内 %1 个 span，忙碌 %3，主要为%4</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间轴</translation>
    </message>
    <message>
        <source>detail</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>no steps here</source>
        <translation>此处没有步</translation>
    </message>
    <message>
        <source>nothing here</source>
        <translation>此处无内容</translation>
    </message>
    <message>
        <source>pinned %1</source>
        <translation>已固定 %1</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>spans in the window</source>
        <translation>窗口中的 span</translation>
    </message>
    <message>
        <source>step %1: %2</source>
        <translation>第 %1 步：%2</translation>
    </message>
    <message>
        <source>step %1: %2, slow</source>
        <translation>第 %1 步：%2，慢</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>steps: zoom in</source>
        <translation>步：请放大</translation>
    </message>
    <message>
        <source>still open</source>
        <translation>仍未结束</translation>
    </message>
</context>
<context>
    <name>runglass::TimelineDrawer</name>
    <message>
        <source>Area</source>
        <translation>区域</translation>
    </message>
    <message>
        <source>Click a span to see what it is, what launched it and who took part. Drag over the rows to sum up an area.</source>
        <translation>点击 span 可看其内容、由谁启动及谁参与。在行上拖动可汇总一个区域。</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Drag over the rows to sum up what ran there.</source>
        <translation>在行上拖动可汇总该处运行的内容。</translation>
    </message>
    <message>
        <source>Filter hits</source>
        <translation>筛选命中</translation>
    </message>
    <message>
        <source>Filter names</source>
        <translation>筛选名称</translation>
    </message>
    <message>
        <source>Filter peers</source>
        <translation>筛选同类</translation>
    </message>
    <message>
        <source>Filter ranks</source>
        <translation>筛选 rank</translation>
    </message>
    <message>
        <source>Peers</source>
        <translation>同类</translation>
    </message>
    <message>
        <source>Ranks in the selection</source>
        <translation>所选区域的 rank</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search hits</source>
        <translation>搜索命中</translation>
    </message>
    <message>
        <source>Selection</source>
        <translation>所选</translation>
    </message>
    <message>
        <source>Spans in the selection</source>
        <translation>所选区域的 span</translation>
    </message>
    <message>
        <source>The selected span</source>
        <translation>所选 span</translation>
    </message>
    <message>
        <source>Type a regular expression into Search ( / ) and press Enter: it looks at the rows shown, first on screen, then in the whole run.</source>
        <translation>在搜索框 ( / ) 输入正则表达式并按 Enter：在所示行中查找，先屏幕内，再整个 run。</translation>
    </message>
</context>
<context>
    <name>runglass::TimelineSearch</name>
    <message>
        <source>%1 hits, %2 on screen</source>
        <translation>%1 个命中，屏幕上 %2 个</translation>
    </message>
    <message>
        <source>%1 of the run searched …</source>
        <translation>已搜索 run 的 %1 …</translation>
    </message>
    <message>
        <source>%1; at number %2</source>
        <translation>%1；位于第 %2 个</translation>
    </message>
    <message>
        <source>No span of the rows shown has such a name in the whole run.</source>
        <translation>整个 run 中所示行没有此名称的 span。</translation>
    </message>
    <message>
        <source>Nothing yet; %1</source>
        <translation>暂无；%1</translation>
    </message>
    <message>
        <source>The first %1 hits, there are more: narrow the pattern or the rows; %2 on screen</source>
        <translation>前 %1 个命中，还有更多：请缩小表达式或行；屏幕上 %2 个</translation>
    </message>
    <message>
        <source>too many spans in %1 to search</source>
        <translation>%1 内 span 过多，无法搜索</translation>
    </message>
</context>
<context>
    <name>runglass::TimelineView</name>
    <message>
        <source>%1 of %2 ranks</source>
        <translation>%2 个 rank 中 %1 个</translation>
    </message>
    <message>
        <source>%1 spans are narrower than a pixel here: zoom in (W) to separate them, or drag over them to sum them up.</source>
        <translation>此处 %1 个 span 窄于一个像素：放大 (W) 可分开，或拖过以汇总。</translation>
    </message>
    <message>
        <source>Filter: %1</source>
        <translation>筛选：%1</translation>
    </message>
    <message>
        <source>No timeline yet</source>
        <translation>尚无时间轴</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Reading the timeline …</source>
        <translation>正在读取时间轴 …</translation>
    </message>
    <message>
        <source>Regular expression over rank, node and track</source>
        <translation>对 rank、节点与轨道的正则表达式</translation>
    </message>
    <message>
        <source>Regular expression over span names; Enter: next hit, Shift+Enter: previous</source>
        <translation>对 span 名称的正则表达式；Enter：下一个，Shift+Enter：上一个</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Search spans</source>
        <translation>搜索 span</translation>
    </message>
    <message>
        <source>Search spans ( / )</source>
        <translation>搜索 span ( / )</translation>
    </message>
    <message>
        <source>Searching …</source>
        <translation>正在搜索 …</translation>
    </message>
    <message>
        <source>Show rows (regex)</source>
        <translation>显示行（正则）</translation>
    </message>
    <message>
        <source>Span %1</source>
        <translation>span %1</translation>
    </message>
    <message>
        <source>Suggested: the slowest rank, its pipeline neighbours, peers of its role, and what is selected or pinned</source>
        <translation>建议：最慢的 rank、其流水线相邻 rank、同角色的 rank，以及所选或固定的</translation>
    </message>
    <message>
        <source>Summing up …</source>
        <translation>正在汇总 …</translation>
    </message>
    <message>
        <source>The timeline could not be read</source>
        <translation>无法读取时间轴</translation>
    </message>
    <message>
        <source>There are no spans here. Import a profiler&apos;s trace, or let trainers report spans through runglass.py or the tracer.</source>
        <translation>此处没有 span。请导入 profiler trace，或让训练程序通过 runglass.py 或 tracer 上报 span。</translation>
    </message>
    <message>
        <source>all ranks</source>
        <translation>所有 rank</translation>
    </message>
    <message>
        <source>attempt %1</source>
        <translation>attempt %1</translation>
    </message>
    <message>
        <source>binned: stretches of up to 128 spans</source>
        <translation>分箱：每段至多 128 个 span</translation>
    </message>
    <message>
        <source>by DP rank</source>
        <translation>按 DP rank</translation>
    </message>
    <message>
        <source>by PP stage</source>
        <translation>按 PP stage</translation>
    </message>
    <message>
        <source>by TP rank</source>
        <translation>按 TP rank</translation>
    </message>
    <message>
        <source>by node</source>
        <translation>按节点</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>its spans stay at hub %1: connect to it to see them</source>
        <translation>其 span 保留在 hub %1：连接后可查看</translation>
    </message>
    <message>
        <source>nothing unusual after this: %1</source>
        <translation>此后没有异常：%1</translation>
    </message>
    <message>
        <source>nothing unusual before this: %1</source>
        <translation>此前没有异常：%1</translation>
    </message>
    <message>
        <source>suggested ranks</source>
        <translation>建议的 rank</translation>
    </message>
    <message>
        <source>times count from the trace&apos;s own start</source>
        <translation>时间从 trace 自身的开始算起</translation>
    </message>
    <message>
        <source>ungrouped</source>
        <translation>不分组</translation>
    </message>
</context>
<context>
    <name>runglass::TopologyGrid</name>
    <message>
        <source>%1 compared with a step in which all ranks are equal</source>
        <translation>与全部相等的步相比 %1</translation>
    </message>
    <message>
        <source>%1 compared with the median of %2</source>
        <translation>与 %2 的中位数相比 %1</translation>
    </message>
    <message>
        <source>%1 in the sequence of its peers</source>
        <translation>在同类序列中 %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2 ranks</source>
        <translation>%1：%2 个 rank</translation>
    </message>
    <message>
        <source>%1: none, %2</source>
        <translation>%1：无，%2</translation>
    </message>
    <message>
        <source>Ranks by pipeline stage and replica</source>
        <translation>按流水线 stage 与副本排列的 rank</translation>
    </message>
    <message>
        <source>dp</source>
        <translation>dp</translation>
    </message>
    <message>
        <source>dp %1</source>
        <translation>dp %1</translation>
    </message>
    <message>
        <source>no coordinates</source>
        <translation>无坐标</translation>
    </message>
    <message>
        <source>no peers in its stage to compare with</source>
        <translation>其 stage 内没有可比较的同类</translation>
    </message>
    <message>
        <source>node not known</source>
        <translation>节点未知</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>stage %1</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>the worst of %1 ranks in this cell</source>
        <translation>此单元 %1 个 rank 中最差者</translation>
    </message>
    <message>
        <source>waits in %1</source>
        <translation>在 %1 中等待</translation>
    </message>
    <message>
        <source>✕ not seen in the collective that the others wait in</source>
        <translation>✕ 未出现在其他 rank 等待的集合通信中</translation>
    </message>
    <message>
        <source>✕ silent: others wait for it</source>
        <translation>✕ 失联：其他 rank 在等它</translation>
    </message>
</context>
<context>
    <name>runglass::TopologySide</name>
    <message>
        <source>%1 in its peers&apos; sequence</source>
        <translation>在同类序列中 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 over %2 ranks</source>
        <translation>%1，%2 个 rank</translation>
    </message>
    <message>
        <source>%1, %2 before the newest word</source>
        <translation>%1，最新上报之前 %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Communicators: %1</source>
        <translation>通信域：%1</translation>
    </message>
    <message>
        <source>Contradictions: %1</source>
        <translation>矛盾：%1</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>In the hang</source>
        <translation>挂起中</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Links: bus bandwidth</source>
        <translation>链路：总线带宽</translation>
    </message>
    <message>
        <source>Medians</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>No rank selected</source>
        <translation>未选择 rank</translation>
    </message>
    <message>
        <source>PID</source>
        <translation>PID</translation>
    </message>
    <message>
        <source>Peers</source>
        <translation>同类</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Rank %1 is not of this attempt</source>
        <translation>rank %1 不属于此 attempt</translation>
    </message>
    <message>
        <source>The selected rank</source>
        <translation>所选 rank</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>click</source>
        <translation>点击</translation>
    </message>
    <message>
        <source>deviation</source>
        <translation>偏差</translation>
    </message>
    <message>
        <source>double click</source>
        <translation>双击</translation>
    </message>
    <message>
        <source>expected %1, found %2</source>
        <translation>应为 %1，实为 %2</translation>
    </message>
    <message>
        <source>group %1</source>
        <translation>组 %1</translation>
    </message>
    <message>
        <source>in</source>
        <translation>处于</translation>
    </message>
    <message>
        <source>instead</source>
        <translation>替代行为</translation>
    </message>
    <message>
        <source>last log line</source>
        <translation>最后日志行</translation>
    </message>
    <message>
        <source>last report</source>
        <translation>最近上报</translation>
    </message>
    <message>
        <source>median of %1</source>
        <translation>%1 的中位数</translation>
    </message>
    <message>
        <source>no capture has it</source>
        <translation>没有 capture</translation>
    </message>
    <message>
        <source>no coordinates</source>
        <translation>无坐标</translation>
    </message>
    <message>
        <source>no group of this rank is known</source>
        <translation>此 rank 的组均未知</translation>
    </message>
    <message>
        <source>no peers in its stage to compare with</source>
        <translation>其 stage 内没有可比较的同类</translation>
    </message>
    <message>
        <source>no report</source>
        <translation>无上报</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>none known from coordinates or communicators</source>
        <translation>坐标与通信域中均无</translation>
    </message>
    <message>
        <source>none of this rank</source>
        <translation>没有此 rank 的</translation>
    </message>
    <message>
        <source>none: %1</source>
        <translation>无：%1</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>not seen where the others wait</source>
        <translation>未出现在其他 rank 等待之处</translation>
    </message>
    <message>
        <source>of</source>
        <translation>属于</translation>
    </message>
    <message>
        <source>opens the timeline at the rank</source>
        <translation>打开该 rank 的时间轴</translation>
    </message>
    <message>
        <source>phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>rank %1 – %2</source>
        <translation>rank %1 – %2</translation>
    </message>
    <message>
        <source>selects a rank: its TP, PP, DP and EP peers are outlined, Esc clears</source>
        <translation>选择 rank：框出其 TP、PP、DP 与 EP 同类，Esc 清除</translation>
    </message>
    <message>
        <source>sequence</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>since</source>
        <translation>起始</translation>
    </message>
    <message>
        <source>stack top</source>
        <translation>栈顶</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>without a name</source>
        <translation>未命名</translation>
    </message>
</context>
<context>
    <name>runglass::TopologyView</name>
    <message>
        <source>DP, PP</source>
        <translation>DP、PP</translation>
    </message>
    <message>
        <source>DP, PP, CP</source>
        <translation>DP、PP、CP</translation>
    </message>
    <message>
        <source>DP, PP, CP, TP</source>
        <translation>DP、PP、CP、TP</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>维度</translation>
    </message>
    <message>
        <source>Dimensions that are drawn separately; a cell of several ranks shows the worst one</source>
        <translation>分开绘制的维度；多个 rank 的单元显示最差的一个</translation>
    </message>
    <message>
        <source>Find rank</source>
        <translation>查找 rank</translation>
    </message>
    <message>
        <source>In which order the dimensions number the ranks, the fastest first, with sizes where they are not known: tp-cp-ep-dp-pp, tp8-dp4-pp2. Empty: as recorded. What ranks said themselves stays.</source>
        <translation>各维度对 rank 编号的顺序，变化最快的在前，未知规模可注明：tp-cp-ep-dp-pp、tp8-dp4-pp2。留空：按记录。rank 自报的保持不变。</translation>
    </message>
    <message>
        <source>Lines between tiles whose first ranks are in different racks</source>
        <translation>首个 rank 位于不同机架的格之间画线</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Metric that the colour compares with the median of the same PP stage</source>
        <translation>颜色与同一 PP stage 中位数比较的指标</translation>
    </message>
    <message>
        <source>Neighbours of the selected rank in its groups, with the bus bandwidth of their collectives</source>
        <translation>所选 rank 在其各组中的相邻 rank，及其集合通信的总线带宽</translation>
    </message>
    <message>
        <source>No ranks yet</source>
        <translation>尚无 rank</translation>
    </message>
    <message>
        <source>Order of ranks</source>
        <translation>rank 的顺序</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Reading the layout …</source>
        <translation>正在读取布局 …</translation>
    </message>
    <message>
        <source>The layout could not be read</source>
        <translation>无法读取布局</translation>
    </message>
    <message>
        <source>This run names no ranks. Import traces or dumps of every rank, or let trainers report their rank and its tp, pp and dp coordinates through runglass.py.</source>
        <translation>此 run 未指明 rank。请导入每个 rank 的 trace 或 dump，或让训练程序通过 runglass.py 上报 rank 及其 tp、pp、dp 坐标。</translation>
    </message>
    <message>
        <source>all dimensions</source>
        <translation>所有维度</translation>
    </message>
    <message>
        <source>find rank</source>
        <translation>查找 rank</translation>
    </message>
    <message>
        <source>lattice</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>order: as recorded</source>
        <translation>顺序：按记录</translation>
    </message>
    <message>
        <source>racks</source>
        <translation>机架</translation>
    </message>
    <message>
        <source>state in the hang</source>
        <translation>挂起中的状态</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>this window cannot change the store</source>
        <translation>此窗口不能修改 store</translation>
    </message>
</context>
<context>
    <name>runglass::TraceDialog</name>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source> steps</source>
        <translation> 步</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Asking …</source>
        <translation>正在请求 …</translation>
    </message>
    <message>
        <source>Every kernel in the next steps, the same on all ranks</source>
        <translation>后续若干步的全部 kernel，所有 rank 相同</translation>
    </message>
    <message>
        <source>From now on only kernels with these names</source>
        <translation>此后只追踪这些名称的 kernel</translation>
    </message>
    <message>
        <source>How many</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Keep the last seconds at full rate</source>
        <translation>以全速率保留最近若干秒</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Parts of kernel names</source>
        <translation>kernel 名称片段</translation>
    </message>
    <message>
        <source>Send the seconds that were kept</source>
        <translation>发送已保留的数据</translation>
    </message>
    <message>
        <source>The next steps in exact mode, kernels inside libraries and graphs too</source>
        <translation>后续若干步用精确模式，含库与 graph 内的 kernel</translation>
    </message>
    <message>
        <source>Trace kernels of %1</source>
        <translation>追踪 %1 的 kernel</translation>
    </message>
    <message>
        <source>What to ask for</source>
        <translation>请求内容</translation>
    </message>
    <message>
        <source>flash|gemm; empty: every kernel</source>
        <translation>flash|gemm；留空：所有 kernel</translation>
    </message>
</context>
<context>
    <name>runglass::WaitingPage</name>
    <message>
        <source>Agents connected: %1 · samples received: %2</source>
        <translation>已连接 agent：%1 · 已收样本：%2</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Start the agent on each node:</source>
        <translation>在每个节点启动 agent：</translation>
    </message>
    <message>
        <source>Waiting for agents on %1</source>
        <translation>正在 %1 等待 agent</translation>
    </message>
</context>
<context>
    <name>runglass::WelcomePage</name>
    <message>
        <source>%1   %2, changed %3</source>
        <translation>%1   %2，修改于 %3</translation>
    </message>
    <message>
        <source>%1 open findings</source>
        <translation>%1 个未解决结论</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1：%2，%3</translation>
    </message>
    <message>
        <source>1 open finding</source>
        <translation>1 个未解决结论</translation>
    </message>
    <message>
        <source>A simulated run with two faults</source>
        <translation>含两处故障的模拟 run</translation>
    </message>
    <message>
        <source>A store is one .rgl file: a live run writes it, an import makes one.</source>
        <translation>store 是一个 .rgl 文件：由实时 run 写入，或由导入生成。</translation>
    </message>
    <message>
        <source>A store, the example, your files</source>
        <translation>store、示例、你的文件</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Connect a cluster</source>
        <translation>连接集群</translation>
    </message>
    <message>
        <source>Connect to Prometheus</source>
        <translation>连接 Prometheus</translation>
    </message>
    <message>
        <source>Connect to a hub</source>
        <translation>连接 hub</translation>
    </message>
    <message>
        <source>Drop a store, logs, traces or telemetry here</source>
        <translation>把 store、日志、trace 或遥测拖到此处</translation>
    </message>
    <message>
        <source>Every view marks it as simulated. It is written to %1; delete it at any time.</source>
        <translation>各视图都标明其为模拟。写入 %1；可随时删除。</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Follow a run that is elsewhere</source>
        <translation>跟随别处的 run</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Import files</source>
        <translation>导入文件</translation>
    </message>
    <message>
        <source>Logs, traces and telemetry of your own become a store, with findings.</source>
        <translation>你的日志、trace 与遥测转为 store，并得出结论。</translation>
    </message>
    <message>
        <source>Logs, traces, telemetry of your own</source>
        <translation>你的日志、trace、遥测</translation>
    </message>
    <message>
        <source>Metrics of a job or a past window</source>
        <translation>作业或过去时间窗口的指标</translation>
    </message>
    <message>
        <source>No store is open.</source>
        <translation>没有打开的 store。</translation>
    </message>
    <message>
        <source>Open a store …</source>
        <translation>打开 store …</translation>
    </message>
    <message>
        <source>Receive a run live: the commands for this host, Slurm, Kubernetes and ssh.</source>
        <translation>实时接收 run：用于本机、Slurm、Kubernetes 与 ssh 的命令。</translation>
    </message>
    <message>
        <source>Recent stores</source>
        <translation>最近的 store</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>The commands for this host</source>
        <translation>用于本机的命令</translation>
    </message>
    <message>
        <source>The hub cannot be followed.</source>
        <translation>无法跟随该 hub。</translation>
    </message>
    <message>
        <source>The store cannot be opened.</source>
        <translation>无法打开该 store。</translation>
    </message>
    <message>
        <source>Try the example</source>
        <translation>打开示例</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>no open findings</source>
        <translation>没有未解决结论</translation>
    </message>
    <message>
        <source>no run yet</source>
        <translation>尚无 run</translation>
    </message>
</context>
<context>
    <name>runglass::WhatIfPanel</name>
    <message>
        <source>Data-parallel replicas</source>
        <translation>数据并行副本</translation>
    </message>
    <message>
        <source>Fix</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>No answer that can be relied on</source>
        <translation>没有可靠的结果</translation>
    </message>
    <message>
        <source>No steps to replay</source>
        <translation>没有可重放的步</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Pipeline stages</source>
        <translation>流水线 stage</translation>
    </message>
    <message>
        <source>Price of a GPU-hour</source>
        <translation>每 GPU 小时价格</translation>
    </message>
    <message>
        <source>Replaying the steps …</source>
        <translation>正在重放各步 …</translation>
    </message>
    <message>
        <source>S</source>
        <translation>S</translation>
    </message>
    <message>
        <source>The forward and backward passes of every rank are needed, with their steps, micro-batches and parallel coordinates: %1.</source>
        <translation>需要每个 rank 的前向与反向，及其步、micro-batch 与并行坐标：%1。</translation>
    </message>
    <message>
        <source>The steps could not be replayed</source>
        <translation>无法重放各步</translation>
    </message>
    <message>
        <source>Untick all</source>
        <translation>全部取消勾选</translation>
    </message>
    <message>
        <source>What one GPU costs an hour, in your currency. Kept on this machine; 0: no money is shown.</source>
        <translation>每个 GPU 每小时的价格，以你的货币计。保存在本机；0：不显示金额。</translation>
    </message>
    <message>
        <source>Workers, the worst %1</source>
        <translation>worker，最差的 %1 个</translation>
    </message>
    <message>
        <source>Workers, worst first</source>
        <translation>worker，最差在前</translation>
    </message>
    <message>
        <source>all communication</source>
        <translation>全部通信</translation>
    </message>
    <message>
        <source>as recorded</source>
        <translation>按记录</translation>
    </message>
    <message>
        <source>garbage collection</source>
        <translation>垃圾回收</translation>
    </message>
    <message>
        <source>no price</source>
        <translation>无价格</translation>
    </message>
    <message>
        <source>rank %1 (dp %2, pp %3)</source>
        <translation>rank %1 (dp %2, pp %3)</translation>
    </message>
    <message>
        <source>replica %1</source>
        <translation>副本 %1</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>stage %1</translation>
    </message>
    <message>
        <source>there is no run</source>
        <translation>没有 run</translation>
    </message>
    <message>
        <source>ticked fixed</source>
        <translation>修复勾选项</translation>
    </message>
</context>
<context>
    <name>runglass::WorkerHeatMap</name>
    <message>
        <source>DP %1</source>
        <translation>DP %1</translation>
    </message>
    <message>
        <source>PP %1</source>
        <translation>PP %1</translation>
    </message>
    <message>
        <source>S of each worker: the run with this worker as recorded, all others as usual</source>
        <translation>各 worker 的 S：该 worker 按记录、其余与平常相同时的 run</translation>
    </message>
    <message>
        <source>click: fix</source>
        <translation>点击：修复</translation>
    </message>
    <message>
        <source>dp %1, pp %2 (rank %3): S %4</source>
        <translation>dp %1, pp %2 (rank %3)：S %4</translation>
    </message>
</context>
<context>
    <name>terms</name>
    <message>
        <source>1 when a remap failed: the device is a replacement candidate (NVML).</source>
        <translation>重映射失败时为 1：设备需考虑更换（NVML）。</translation>
    </message>
    <message>
        <source>1 when a remap waits for a reset (NVML).</source>
        <translation>有重映射等待重置时为 1（NVML）。</translation>
    </message>
    <message>
        <source>1 where a test failed, 0 where it passed (dcgmi diag).</source>
        <translation>测试失败为 1，通过为 0（dcgmi diag）。</translation>
    </message>
    <message>
        <source>1 while clocks are throttled by heat (dmon).</source>
        <translation>因过热降频时为 1（dmon）。</translation>
    </message>
    <message>
        <source>1 while the port&apos;s state is ACTIVE.</source>
        <translation>端口状态为 ACTIVE 时为 1。</translation>
    </message>
    <message>
        <source>A CUDA call hangs in the driver: look for an Xid of that GPU.</source>
        <translation>CUDA 调用挂在驱动中：查找该 GPU 的 Xid。</translation>
    </message>
    <message>
        <source>A batch did not match its checksum or its session and was refused; the agent sends it again after it reconnects. If it repeats, look at the agent&apos;s version and the network.</source>
        <translation>一个批次与其校验和或会话不符，已拒绝；agent 重新连接后会重新发送。若重复出现，请检查 agent 的版本和网络。</translation>
    </message>
    <message>
        <source>A batch holds more records than any agent of ours puts into one; the rest of it was left out.</source>
        <translation>一个批次的记录多于我们的任何 agent 放入的数量；其余部分已略去。</translation>
    </message>
    <message>
        <source>A batch of training data</source>
        <translation>一批训练数据</translation>
    </message>
    <message>
        <source>A batch was received but could not be recorded. Its content is kept in the store&apos;s -ingest.bad file up to its size limit (64 MiB); all other batches are stored. The detail names the batch and the reason.</source>
        <translation>收到的一个批次无法记录。其内容保存在 store 的 -ingest.bad 文件中，至其大小上限（64 MiB）；其他批次均已存储。详情说明批次和原因。</translation>
    </message>
    <message>
        <source>A batch&apos;s content could not be decoded from some byte on; the part before it is stored. Update the agent or the hub so that both are of one version.</source>
        <translation>一个批次的内容从某个字节起无法解码；此前的部分已存储。请更新 agent 或 hub，使两者版本一致。</translation>
    </message>
    <message>
        <source>A checkpoint could not be written or read</source>
        <translation>checkpoint 无法写入或读取</translation>
    </message>
    <message>
        <source>A chunk&apos;s checksum does not match: the disk or a copy damaged it. Other data is unaffected; restore the file from a copy to get it back.</source>
        <translation>一个 chunk 的校验和不符：磁盘或复制损坏了它。其他数据不受影响；从副本恢复文件可找回。</translation>
    </message>
    <message>
        <source>A collective&apos;s arguments, or one of a dump&apos;s facts, are larger than 1 MiB and were not kept. The original file has them.</source>
        <translation>集合通信的参数或转储的某项信息大于 1 MiB，未保留。原文件中有。</translation>
    </message>
    <message>
        <source>A column was queried twice; its first values are kept.</source>
        <translation>一列被查询了两次；保留第一次的值。</translation>
    </message>
    <message>
        <source>A defect of native code: look for a core file and a stack.</source>
        <translation>本地代码的缺陷：查找 core 文件与栈。</translation>
    </message>
    <message>
        <source>A defect of the program: a branch that not all ranks take.</source>
        <translation>程序缺陷：并非所有 rank 都走的分支。</translation>
    </message>
    <message>
        <source>A defect of the program: often two ranks on one GPU, or operations of one communicator in different orders.</source>
        <translation>程序缺陷：通常是两个 rank 用同一 GPU，或同一通信域的操作顺序不同。</translation>
    </message>
    <message>
        <source>A defect of the program: ranks, counts or data types.</source>
        <translation>程序缺陷：rank、个数或数据类型。</translation>
    </message>
    <message>
        <source>A dependency outside the job</source>
        <translation>作业外部的依赖</translation>
    </message>
    <message>
        <source>A dump holds no collective: its rank called none while the recorder was on. Alone it shows no hang; import the dumps of all ranks, which show whether others wait for it.</source>
        <translation>转储中没有集合通信：记录期间该 rank 没有调用。单独看不出挂起；请导入所有 rank 的转储，以查看其他 rank 是否在等待它。</translation>
    </message>
    <message>
        <source>A dump names more than 65,536 process groups; collectives of the later ones are left out.</source>
        <translation>转储中有超过 65,536 个进程组；其后的集合通信已略去。</translation>
    </message>
    <message>
        <source>A dump&apos;s file name gives another rank than its process groups do; the groups are believed. The files may have been renamed.</source>
        <translation>转储文件名中的 rank 与其进程组不同；以进程组为准。文件可能被改名。</translation>
    </message>
    <message>
        <source>A file in the ring directory is not a ring this agent can read: another version of librunglass, damaged, or of an owner or mode that another user could have written it with. Use the librunglass of the same release as the agent; remove files that your trainers did not make.</source>
        <translation>环形缓冲目录中的一个文件不是此 agent 能读的环形缓冲：librunglass 版本不同、已损坏，或其属主或权限使其他用户可能写入。请使用与 agent 同版本的 librunglass；删除不是您的 trainer 创建的文件。</translation>
    </message>
    <message>
        <source>A file that the agent follows cannot be read; the reason is in the detail. It is tried again at every poll; check its permissions and the disk.</source>
        <translation>agent 跟踪的一个文件无法读取；原因见详情。每次轮询都会重试；请检查其权限和磁盘。</translation>
    </message>
    <message>
        <source>A flight-recorder dump was not read: it is too large, damaged, or holds what no dump holds. What and where is in the detail; nothing in it was executed.</source>
        <translation>flight recorder 转储未读取：太大、已损坏，或含有转储中不应有的内容。内容和位置见详情；其中没有任何内容被执行。</translation>
    </message>
    <message>
        <source>A followed file became shorter or was rewritten in place. It is read again from its start; lines that were cut away before the agent saw them are missing.</source>
        <translation>被跟踪的文件变短或被就地重写。从头重新读取；在 agent 看到之前被截掉的行缺失。</translation>
    </message>
    <message>
        <source>A known field was printed with something that is not a number; that value is missing.</source>
        <translation>已知字段打印的不是数字；该值缺失。</translation>
    </message>
    <message>
        <source>A known metric was printed with something that is not a number. That value is missing from its curve; the detail shows the text.</source>
        <translation>已知指标打印的不是数字。其曲线缺少该值；详情给出文本。</translation>
    </message>
    <message>
        <source>A line holds values but nothing says to which step they belong, usually because it comes before the first step. They are not recorded; a rule with a step capture would record them.</source>
        <translation>某行含有值，但没有说明属于哪一步，通常因为它在第一步之前。未记录；带 step 捕获的规则可记录它们。</translation>
    </message>
    <message>
        <source>A line is longer than 1 MiB: its first MiB was read, the rest was skipped. Usually a progress bar or a dump without line ends.</source>
        <translation>某行超过 1 MiB：读取了前 1 MiB，其余跳过。通常是进度条或没有换行的转储。</translation>
    </message>
    <message>
        <source>A link that does so often is about to flap.</source>
        <translation>频繁如此的链路即将抖动。</translation>
    </message>
    <message>
        <source>A log names more than 16,384 communicators, or kinds of operations; those beyond are left out.</source>
        <translation>日志中有超过 16,384 个通信器或操作类型；超出的已略去。</translation>
    </message>
    <message>
        <source>A log names more than 4,096 hosts, or devices; events of those beyond belong to no device. The log may be damaged.</source>
        <translation>日志中有超过 4,096 个主机或设备；超出者的事件不属于任何设备。日志可能已损坏。</translation>
    </message>
    <message>
        <source>A log numbers a process within each communicator but does not record its rank in the job, unless one communicator is named as that of all, or is the only one. Such operations are shown by host and process. Files named NAME_rank_N.log contain it.</source>
        <translation>日志在每个通信器内给进程编号，但没有记录其在作业中的 rank，除非某个通信器被标明为全体的或是唯一的。此类操作按主机和进程显示。名为 NAME_rank_N.log 的文件含有它。</translation>
    </message>
    <message>
        <source>A message was longer than its buffer: versions or counts differ.</source>
        <translation>消息长于缓冲：版本或个数不一致。</translation>
    </message>
    <message>
        <source>A node has recorded as many captures as it may in an hour; this piece was left out. Raise [source.capture] hourly_mib, or look at who asks so often.</source>
        <translation>节点在一小时内的捕获已达上限；此部分已略去。请提高 [source.capture] hourly_mib，或查看是谁如此频繁地请求。</translation>
    </message>
    <message>
        <source>A node&apos;s clock differs from the hub&apos;s by more than 100 ms; its times are corrected. Check NTP or PTP there.</source>
        <translation>节点的时钟与 hub 相差超过 100 ms；其时间已校正。请检查该处的 NTP 或 PTP。</translation>
    </message>
    <message>
        <source>A page holds the same name and labels twice; the first value is kept.</source>
        <translation>一个页面两次含有相同的名称和标签；保留第一个值。</translation>
    </message>
    <message>
        <source>A path in the agent&apos;s configuration named no file when the agent started; the detail names it. The agent looks again all the time: files that appear later are read.</source>
        <translation>agent 启动时，配置中的某个路径没有对应文件；详情给出该路径。agent 会持续查找：之后出现的文件会被读取。</translation>
    </message>
    <message>
        <source>A peer is gone, or packets are lost on the way: look at its node, then at switches between.</source>
        <translation>对端失联，或途中丢包：先看其节点，再看中间交换机。</translation>
    </message>
    <message>
        <source>A process ended with work still on its GPU; those operations have no end and are left out.</source>
        <translation>进程结束时 GPU 上仍有工作；这些操作没有结束，已略去。</translation>
    </message>
    <message>
        <source>A process has held a snapshot of the store for long: an SQL shell in a transaction, or a paused pipe. Until it ends, the -wal file grows; at 2 GiB new data is refused. The detail names the process.</source>
        <translation>有进程长时间持有 store 的快照：处于事务中的 SQL shell，或暂停的管道。在其结束前 -wal 文件会增长；达到 2 GiB 时拒绝新数据。详情说明该进程。</translation>
    </message>
    <message>
        <source>A process that uses the GPU and whose memory the driver does not report (NVML).</source>
        <translation>使用 GPU 但驱动不报告其显存的进程（NVML）。</translation>
    </message>
    <message>
        <source>A record&apos;s checksum is right but its content is not an event as TensorBoard writes them; it was skipped.</source>
        <translation>一条记录的校验和正确，但内容不是 TensorBoard 写入的事件；已跳过。</translation>
    </message>
    <message>
        <source>A record&apos;s checksum is wrong, so the record was skipped: the disk or a copy damaged the file. Records around it are kept.</source>
        <translation>一条记录的校验和错误，已跳过：磁盘或复制损坏了文件。其前后的记录保留。</translation>
    </message>
    <message>
        <source>A record&apos;s length is damaged, so nothing after it can be found in this file. Copy the file again from where it was written.</source>
        <translation>一条记录的长度损坏，因此找不到此文件中其后的内容。请从写入处重新复制文件。</translation>
    </message>
    <message>
        <source>A report names more than 65,536 threads and streams; spans on the later ones are left out.</source>
        <translation>报告中有超过 65,536 个线程和 stream；其后的 span 已略去。</translation>
    </message>
    <message>
        <source>A rule exceeded most_per_hour. The delayed notifications are sent as one message later.</source>
        <translation>一条规则超过了 most_per_hour。推迟的通知稍后合并为一条消息发送。</translation>
    </message>
    <message>
        <source>A rule file of yours cannot be used and was left out; the detail names the file, the place and the reason. Built-in rules work as before.</source>
        <translation>您的一个规则文件无法使用，已略去；详情给出文件、位置和原因。内置规则照常工作。</translation>
    </message>
    <message>
        <source>A source could not start; the reason is in the detail. Its data is missing until the agent restarts.</source>
        <translation>一个来源无法启动；原因见详情。在 agent 重启之前缺少其数据。</translation>
    </message>
    <message>
        <source>A source recorded faster than the agent could seal; the newest records were dropped. Lower its rate.</source>
        <translation>来源的记录快于 agent 的封装；最新的记录被丢弃。请降低其速率。</translation>
    </message>
    <message>
        <source>A source wrote more than 10,000 log lines a second for longer than ten seconds. Lines beyond that were not kept; warnings and worse have as much room again for themselves. Its own file still has them.</source>
        <translation>一个来源连续十秒以上每秒写入超过 10,000 行日志。超出的行未保留；警告及更严重的行另有同样的配额。其自身文件中仍有。</translation>
    </message>
    <message>
        <source>A storage node behind the query API did not answer, so that samples may be missing. Import the same time again once it is back.</source>
        <translation>查询 API 背后的一个存储节点没有答复，因此可能缺少样本。待其恢复后再次导入同一时间段。</translation>
    </message>
    <message>
        <source>A switch or adapter changes packets: look at its memory and firmware.</source>
        <translation>交换机或网卡篡改了报文：检查其内存与固件。</translation>
    </message>
    <message>
        <source>A table of the store was damaged, so that the store could not be opened for writing. It was rebuilt from the rows that can be read; the source names the table or what of it is lost. Names of lost rows read &quot;lost&quot;. Run `runglassctl verify`, check the disk, and make a clean store with `runglassctl repair` when the run has ended.</source>
        <translation>store 的一张表已损坏，无法打开写入。已用可读的行重建；来源一栏指明该表或丢失的内容。丢失行的名称显示为 &quot;lost&quot;。请运行 `runglassctl verify`，检查磁盘，并在运行结束后用 `runglassctl repair` 生成干净的 store。</translation>
    </message>
    <message>
        <source>A text of more than 64 KiB was cut to that length.</source>
        <translation>超过 64 KiB 的文本已截断至该长度。</translation>
    </message>
    <message>
        <source>A timeline&apos;s file name gives another rank than its content does; the content is believed. The files may have been renamed.</source>
        <translation>时间线文件名中的 rank 与内容不同；以内容为准。文件可能被改名。</translation>
    </message>
    <message>
        <source>A trace also holds arrows between spans. They are not kept so far; the original file has them.</source>
        <translation>trace 还含有 span 之间的箭头。目前不保留；原文件中有。</translation>
    </message>
    <message>
        <source>A trace also holds asynchronous events, objects or samples. They are not kept; the original file has them.</source>
        <translation>trace 还含有异步事件、对象或采样。这些不保留；原文件中有。</translation>
    </message>
    <message>
        <source>A trace also holds asynchronous events, objects, samples or memory dumps. They are not kept; the original file has them.</source>
        <translation>trace 还含有异步事件、对象、采样或内存转储。这些不保留；原文件中有。</translation>
    </message>
    <message>
        <source>A trace draws arrows between spans. They are not kept one by one: the relation flow finds launches by their correlation and forward and backward operators by their sequence number.</source>
        <translation>trace 中有 span 之间的箭头。不逐条保留：关系 flow 通过 correlation 找到启动，通过序号找到前向和反向算子。</translation>
    </message>
    <message>
        <source>A trace has grown since the last import and ends spans that were open then. Both are kept; import it into a new store to have the ended ones only.</source>
        <translation>trace 自上次导入后增长，并结束了当时未结束的 span。两者都保留；导入新的 store 可只得到已结束的。</translation>
    </message>
    <message>
        <source>A trace holds more than 100,000 instant events; the later ones are left out.</source>
        <translation>trace 含有超过 100,000 个瞬时事件；其后的已略去。</translation>
    </message>
    <message>
        <source>A trace names more than 65,536 threads and streams; spans on the later ones are left out.</source>
        <translation>trace 中有超过 65,536 个线程和 stream；其后的 span 已略去。</translation>
    </message>
    <message>
        <source>A trace names more than 65,536 threads; spans on the later ones are left out.</source>
        <translation>trace 中有超过 65,536 个线程；其后的 span 已略去。</translation>
    </message>
    <message>
        <source>A trace names more than a million steps; the later ones have no length of their own. Their spans are kept.</source>
        <translation>trace 中有超过一百万个步；其后的步没有自己的时长。其 span 均保留。</translation>
    </message>
    <message>
        <source>A trace puts one rank in two places of the parallel layout. The first one is kept: check how its writer numbers ranks.</source>
        <translation>trace 把一个 rank 放在并行布局的两个位置。保留第一个：请检查其写入者如何给 rank 编号。</translation>
    </message>
    <message>
        <source>A trainer died while it wrote a record; that record is lost, everything before it is here.</source>
        <translation>trainer 在写记录时退出；该记录丢失，此前的都在。</translation>
    </message>
    <message>
        <source>A trainer reported a scalar outside any step and without a step number; it cannot be placed on a curve and was left out.</source>
        <translation>trainer 在步之外上报了没有步号的标量；无法放到曲线上，已略去。</translation>
    </message>
    <message>
        <source>A trainer reported faster than the agent read, or no agent ran: these records are lost, the trainer was not slowed. Start the agent before the job, or give the ring more room with RUNGLASS_RING_BYTES.</source>
        <translation>trainer 的上报快于 agent 的读取，或没有运行 agent：这些记录已丢失，trainer 没有变慢。请在作业之前启动 agent，或用 RUNGLASS_RING_BYTES 增大环形缓冲。</translation>
    </message>
    <message>
        <source>A trainer used more than 4,095 different names for spans and scalars; the later ones have no name. Keep step numbers and addresses out of names.</source>
        <translation>trainer 为 span 和标量使用了超过 4,095 个不同的名称；其后的没有名称。名称中不要含步号和地址。</translation>
    </message>
    <message>
        <source>A trainer wrote records of a kind this agent does not know; they are left out. Its librunglass is newer than the agent.</source>
        <translation>trainer 写入了此 agent 不认识的记录类型；已略去。其 librunglass 比 agent 新。</translation>
    </message>
    <message>
        <source>A very large trace names its rows behind its events. Rows that were recorded by then keep their numbers for names and have no rank.</source>
        <translation>很大的 trace 在事件之后才给出行名。在此之前记录的行以编号为名，没有 rank。</translation>
    </message>
    <message>
        <source>Acknowledged batches were neither in the store nor in its journal after a power cut or damage of the disk. The detail names the stream and how many; the agent has deleted them.</source>
        <translation>断电或磁盘损坏后，已确认的批次既不在 store 也不在其日志中。详情说明流和数量；agent 已将其删除。</translation>
    </message>
    <message>
        <source>Active NVLinks (NVML).</source>
        <translation>活跃的 NVLink（NVML）。</translation>
    </message>
    <message>
        <source>Adaptive retransmissions (RoCE).</source>
        <translation>自适应重传（RoCE）。</translation>
    </message>
    <message>
        <source>An agent asked for more shared files than a hub grants to one; it does not follow the rest.</source>
        <translation>agent 请求的共享文件多于 hub 允许一个 agent 的数量；其余的不跟踪。</translation>
    </message>
    <message>
        <source>An agent came with the uuid of another node&apos;s agent, or with another certificate or token, and was refused. Mostly a state directory that was copied with a machine&apos;s image. If a node was replaced: runglassctl agent forget NODE.</source>
        <translation>agent 使用了另一节点 agent 的 uuid，或使用了另一个证书或 token，已拒绝。多数情况是状态目录随机器镜像被复制。若节点已更换：runglassctl agent forget NODE。</translation>
    </message>
    <message>
        <source>An agent reported more different issues than a hub keeps of one agent; the rest is counted here.</source>
        <translation>agent 上报的不同问题多于 hub 为一个 agent 保留的数量；其余的在此计数。</translation>
    </message>
    <message>
        <source>An agent sent records of a run that has its ranks on other nodes: ends, layouts, ranks or progress of theirs, or data of a run in which its node has no rank and of which it follows no shared file. They are not stored; the rest of the batch is. The source names the agent and the run, the detail what was refused.</source>
        <translation>agent 发送了 rank 位于其他节点的运行的记录：其结束、布局、rank 或进度，或其节点没有 rank 且不跟踪其共享文件的运行的数据。这些未存储；批次的其余部分已存储。来源指明 agent 和运行，详情说明拒绝了什么。</translation>
    </message>
    <message>
        <source>An agent sent records that only a hub sends to replicas: findings, notes, totals. It was left out: the agent is broken or not what it says.</source>
        <translation>agent 发送了只有 hub 才向副本发送的记录：结论、备注、总计。已略去：agent 出错或并非其所称。</translation>
    </message>
    <message>
        <source>An agent whose certificate or token is for one node sent records of another; they are not stored. A mistake in its configuration, or a node that was taken over.</source>
        <translation>证书或 token 属于某节点的 agent 发送了另一节点的记录；未存储。可能是配置错误，或节点被入侵。</translation>
    </message>
    <message>
        <source>An agent&apos;s session defines more series, tracks or devices than a hub takes; those beyond are not stored.</source>
        <translation>agent 的会话定义的序列、track 或设备多于 hub 接受的数量；超出的未存储。</translation>
    </message>
    <message>
        <source>An alert reached none of its targets; the detail has their answers. It is in the history all the same. `runglassctl alert test` tries the targets.</source>
        <translation>告警没有到达任何目标；详情有其应答。它仍在历史中。`runglassctl alert test` 可测试目标。</translation>
    </message>
    <message>
        <source>An analysis has more findings for one run than are kept; the later ones are left out. Its thresholds fit this run badly.</source>
        <translation>一项分析对一个运行的结论多于保留的数量；其后的已略去。其阈值不适合此运行。</translation>
    </message>
    <message>
        <source>An analysis of a live run failed; the reason is in the detail. It runs again in the next round; its earlier findings stay.</source>
        <translation>对活动运行的一次分析失败；原因见详情。下一轮会再次运行；其先前的结论保留。</translation>
    </message>
    <message>
        <source>An assertion, or the collectives&apos; watchdog: look at what it printed before.</source>
        <translation>断言，或集合通信的 watchdog：查看其之前的输出。</translation>
    </message>
    <message>
        <source>An error counter of an RDMA port is at its maximum and no longer counts: further errors of its kind are not seen. `perfquery -R` resets it.</source>
        <translation>RDMA 端口的错误计数器已达最大值，不再计数：看不到该类型的更多错误。`perfquery -R` 可将其复位。</translation>
    </message>
    <message>
        <source>Another file took the name of a followed one (rotation). The old one was read to its end, the new one from its start.</source>
        <translation>另一个文件取代了被跟踪文件的名称（轮转）。旧文件已读到末尾，新文件从头读取。</translation>
    </message>
    <message>
        <source>Answers of more than 32 MiB after unpacking, or of more than 200,000 samples, are refused as a whole. Filter at the exporter.</source>
        <translation>解压后超过 32 MiB 或超过 200,000 个样本的应答整体拒绝。请在导出器处过滤。</translation>
    </message>
    <message>
        <source>Asynchronous: the call named is often not the one at fault.</source>
        <translation>异步：指明的调用往往不是出错的调用。</translation>
    </message>
    <message>
        <source>BAR1 used</source>
        <translation>BAR1 已用</translation>
    </message>
    <message>
        <source>BMC temperature</source>
        <translation>BMC 温度</translation>
    </message>
    <message>
        <source>Bandwidth of a collective&apos;s links, comparable between numbers of ranks (nccl-tests).</source>
        <translation>集合通信所用链路的带宽，可在不同 rank 数之间比较（nccl-tests）。</translation>
    </message>
    <message>
        <source>Bandwidth of sends and receives (NCCL Inspector).</source>
        <translation>发送与接收的带宽（NCCL Inspector）。</translation>
    </message>
    <message>
        <source>Bandwidth of the links in collectives (NCCL Inspector).</source>
        <translation>集合通信中链路的带宽（NCCL Inspector）。</translation>
    </message>
    <message>
        <source>Bandwidth that a test measured (perftest, nvbandwidth; nccl-tests: size per time).</source>
        <translation>测试测得的带宽（perftest、nvbandwidth；nccl-tests：数据量除以时间）。</translation>
    </message>
    <message>
        <source>Batches of an agent are missing: its spool was full, or it lost them. Which and why is in the detail; enlarge agent.spool_mib if hubs are away for long.</source>
        <translation>缺少 agent 的批次：其 spool 已满，或被其丢失。哪些和原因见详情；若 hub 长时间离线，请增大 agent.spool_mib。</translation>
    </message>
    <message>
        <source>Begins without an end: what ran when the trace stopped. They are kept as spans that are still open.</source>
        <translation>有开始而无结束：trace 停止时仍在运行。保留为仍未结束的 span。</translation>
    </message>
    <message>
        <source>Belongs to a link that went down before it.</source>
        <translation>属于此前断开的链路。</translation>
    </message>
    <message>
        <source>Board limit violation</source>
        <translation>板卡限制违规</translation>
    </message>
    <message>
        <source>Board power as the driver reports it (NVML).</source>
        <translation>驱动报告的板卡功率（NVML）。</translation>
    </message>
    <message>
        <source>Board power averaged over a second (nvidia-smi).</source>
        <translation>一秒平均的板卡功率（nvidia-smi）。</translation>
    </message>
    <message>
        <source>Board power of the last reading (nvidia-smi).</source>
        <translation>最近一次读数的板卡功率（nvidia-smi）。</translation>
    </message>
    <message>
        <source>Bytes follow the end of a dump, as when a shorter dump is written over a longer one. They were not read.</source>
        <translation>转储结束后还有字节，例如较短的转储覆盖了较长的。这些未读取。</translation>
    </message>
    <message>
        <source>Bytes read from a disk per second (/proc/diskstats).</source>
        <translation>磁盘每秒读取字节（/proc/diskstats）。</translation>
    </message>
    <message>
        <source>Bytes received by a network interface per second (/proc/net/dev).</source>
        <translation>网络接口每秒接收字节（/proc/net/dev）。</translation>
    </message>
    <message>
        <source>Bytes received by an RDMA port per second.</source>
        <translation>RDMA 端口每秒接收字节。</translation>
    </message>
    <message>
        <source>Bytes sent by a network interface per second (/proc/net/dev).</source>
        <translation>网络接口每秒发送字节（/proc/net/dev）。</translation>
    </message>
    <message>
        <source>Bytes sent by an RDMA port per second.</source>
        <translation>RDMA 端口每秒发送字节。</translation>
    </message>
    <message>
        <source>Bytes written to a disk per second (/proc/diskstats).</source>
        <translation>磁盘每秒写入字节（/proc/diskstats）。</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>CPU busy</source>
        <translation>CPU 占用</translation>
    </message>
    <message>
        <source>CPU or memory error reported by the processor</source>
        <translation>处理器报告 CPU 或内存错误</translation>
    </message>
    <message>
        <source>CPU pressure</source>
        <translation>CPU 压力</translation>
    </message>
    <message>
        <source>CPU pressure, full</source>
        <translation>CPU 压力（完全）</translation>
    </message>
    <message>
        <source>CPU saturation</source>
        <translation>CPU 饱和</translation>
    </message>
    <message>
        <source>CPU time</source>
        <translation>CPU 时间</translation>
    </message>
    <message>
        <source>CPU time of a trainer process per wall time; 1 is one core (/proc/PID/stat).</source>
        <translation>训练进程每墙钟时间的 CPU 时间；1 为一个核（/proc/PID/stat）。</translation>
    </message>
    <message>
        <source>CPU time of the trainer&apos;s main thread (/proc/PID/schedstat).</source>
        <translation>训练主线程的 CPU 时间（/proc/PID/schedstat）。</translation>
    </message>
    <message>
        <source>CUDA version of the driver</source>
        <translation>驱动的 CUDA 版本</translation>
    </message>
    <message>
        <source>CUDA version that NCCL saw</source>
        <translation>NCCL 检测到的 CUDA 版本</translation>
    </message>
    <message>
        <source>Cache hits</source>
        <translation>缓存命中</translation>
    </message>
    <message>
        <source>Check NCCL_SOCKET_IFNAME, firewalls and routes between the nodes.</source>
        <translation>检查 NCCL_SOCKET_IFNAME、防火墙与节点间路由。</translation>
    </message>
    <message>
        <source>Check and replace the disk.</source>
        <translation>检查并更换磁盘。</translation>
    </message>
    <message>
        <source>Check both ends of the link and its counters.</source>
        <translation>检查链路两端及其计数。</translation>
    </message>
    <message>
        <source>Check both ends of the link, its replay and CRC counters, and the fabric manager.</source>
        <translation>检查链路两端、其重放与 CRC 计数，以及 fabric manager。</translation>
    </message>
    <message>
        <source>Check cable, transceiver and switch port.</source>
        <translation>检查线缆、光模块与交换机端口。</translation>
    </message>
    <message>
        <source>Check cooling and power supply of the named GPU</source>
        <translation>检查所指 GPU 的散热与供电</translation>
    </message>
    <message>
        <source>Check cooling.</source>
        <translation>检查散热。</translation>
    </message>
    <message>
        <source>Check firmware and PCIe of the adapter.</source>
        <translation>检查网卡的固件与 PCIe。</translation>
    </message>
    <message>
        <source>Check its optical module, cable and switch port; look the code up in Huawei&apos;s fault code list.</source>
        <translation>检查其光模块、线缆和交换机端口；在华为故障码列表中查该代码。</translation>
    </message>
    <message>
        <source>Check link and cable.</source>
        <translation>检查链路与线缆。</translation>
    </message>
    <message>
        <source>Check power cabling.</source>
        <translation>检查供电线缆。</translation>
    </message>
    <message>
        <source>Check the device below it.</source>
        <translation>检查其下的设备。</translation>
    </message>
    <message>
        <source>Check the signal.</source>
        <translation>检查信号。</translation>
    </message>
    <message>
        <source>Clean or replace cable or transceiver; look at both ends.</source>
        <translation>清洁或更换线缆或光模块；两端都看。</translation>
    </message>
    <message>
        <source>Cleanup after another error or a kill: follow that one. Alone: restart the fabric manager.</source>
        <translation>其他错误或被杀之后的清理：追查前者。若单独出现：重启 fabric manager。</translation>
    </message>
    <message>
        <source>Clock event reasons</source>
        <translation>降频原因</translation>
    </message>
    <message>
        <source>Clock, power, temperature</source>
        <translation>频率、功率、温度</translation>
    </message>
    <message>
        <source>Collect on all ranks in the same step (gc.disable(), then gc.collect() every N steps)</source>
        <translation>所有 rank 在同一步回收（gc.disable()，再每 N 步 gc.collect()）</translation>
    </message>
    <message>
        <source>Columns that the layout knows are not in this file; the others are imported.</source>
        <translation>布局中的列不在此文件中；其他列已导入。</translation>
    </message>
    <message>
        <source>Compaction failures</source>
        <translation>内存规整失败</translation>
    </message>
    <message>
        <source>Compaction stalls</source>
        <translation>内存规整停顿</translation>
    </message>
    <message>
        <source>Compactions that freed no huge block (/proc/vmstat).</source>
        <translation>未能腾出大页的内存规整次数（/proc/vmstat）。</translation>
    </message>
    <message>
        <source>Compare NCCL versions and settings of the nodes.</source>
        <translation>比较各节点的 NCCL 版本与设置。</translation>
    </message>
    <message>
        <source>Compare with the other end of the link; check cable and transceiver.</source>
        <translation>与链路另一端比较；检查线缆与光模块。</translation>
    </message>
    <message>
        <source>Compare with the ranks beside it; look at the step&apos;s lengths.</source>
        <translation>与相邻 rank 比较；查看该步的长度。</translation>
    </message>
    <message>
        <source>Confidential computing: restart the virtual machine.</source>
        <translation>机密计算：重启虚拟机。</translation>
    </message>
    <message>
        <source>Confidential-computing memory in use (dmon).</source>
        <translation>使用中的机密计算显存（dmon）。</translation>
    </message>
    <message>
        <source>Configured swap (/proc/meminfo).</source>
        <translation>配置的 swap（/proc/meminfo）。</translation>
    </message>
    <message>
        <source>Congestion notices ignored (RoCE).</source>
        <translation>忽略的拥塞通知（RoCE）。</translation>
    </message>
    <message>
        <source>Congestion notices sent (RoCE).</source>
        <translation>发送的拥塞通知（RoCE）。</translation>
    </message>
    <message>
        <source>Congestion notices that slowed a sender (RoCE).</source>
        <translation>使发送方减速的拥塞通知（RoCE）。</translation>
    </message>
    <message>
        <source>Core busy</source>
        <translation>核心占用</translation>
    </message>
    <message>
        <source>Corrected memory errors over the device&apos;s life (NVML).</source>
        <translation>设备全生命周期已纠正的显存错误（NVML）。</translation>
    </message>
    <message>
        <source>Corrected memory errors since the driver was loaded (nvidia-smi).</source>
        <translation>自驱动加载以来已纠正的显存错误（nvidia-smi）。</translation>
    </message>
    <message>
        <source>Current PCIe generation; falls at idle to save power (NVML).</source>
        <translation>当前 PCIe 代次；空闲时为省电而下降（NVML）。</translation>
    </message>
    <message>
        <source>Current PCIe lanes (NVML).</source>
        <translation>当前 PCIe 通道数（NVML）。</translation>
    </message>
    <message>
        <source>Current clock of the device memory (NVML).</source>
        <translation>当前显存频率（NVML）。</translation>
    </message>
    <message>
        <source>Current clock of the streaming multiprocessors (NVML).</source>
        <translation>当前流式多处理器频率（NVML）。</translation>
    </message>
    <message>
        <source>Current graphics clock (nvidia-smi).</source>
        <translation>当前图形频率（nvidia-smi）。</translation>
    </message>
    <message>
        <source>DCGM&apos;s markers for absent values. They are absent, not huge.</source>
        <translation>DCGM 表示缺失值的标记。它们是缺失，不是巨大的数。</translation>
    </message>
    <message>
        <source>DLRover prints local times without a zone: they are taken as UTC. If the machine ran in another zone, the run is shifted by that many hours against other sources.</source>
        <translation>DLRover 打印本地时间而没有时区：按 UTC 处理。若机器在其他时区，该运行相对其他来源偏移相应的小时数。</translation>
    </message>
    <message>
        <source>DRAM active</source>
        <translation>DRAM 活跃</translation>
    </message>
    <message>
        <source>Data CRC errors on all NVLinks (NVML).</source>
        <translation>所有 NVLink 的数据 CRC 错误（NVML）。</translation>
    </message>
    <message>
        <source>Data loading too slow</source>
        <translation>数据加载过慢</translation>
    </message>
    <message>
        <source>Data received over PCIe per second (nvidia-smi).</source>
        <translation>每秒经 PCIe 接收的数据（nvidia-smi）。</translation>
    </message>
    <message>
        <source>Data received over PCIe per second, sampled over 20 ms (DCGM).</source>
        <translation>每秒经 PCIe 接收的数据，按 20 ms 采样（DCGM）。</translation>
    </message>
    <message>
        <source>Data received over all NVLinks per second (NVML).</source>
        <translation>每秒经所有 NVLink 接收的数据（NVML）。</translation>
    </message>
    <message>
        <source>Data sent over PCIe per second (nvidia-smi).</source>
        <translation>每秒经 PCIe 发送的数据（nvidia-smi）。</translation>
    </message>
    <message>
        <source>Data sent over PCIe per second, sampled over 20 ms (DCGM).</source>
        <translation>每秒经 PCIe 发送的数据，按 20 ms 采样（DCGM）。</translation>
    </message>
    <message>
        <source>Data sent over all NVLinks per second (NVML).</source>
        <translation>每秒经所有 NVLink 发送的数据（NVML）。</translation>
    </message>
    <message>
        <source>Decoder busy</source>
        <translation>解码器占用</translation>
    </message>
    <message>
        <source>Delete or ask for more: checkpoints fail first.</source>
        <translation>删除或申请扩容：checkpoint 会最先失败。</translation>
    </message>
    <message>
        <source>Detail of Xid 48.</source>
        <translation>Xid 48 的细节。</translation>
    </message>
    <message>
        <source>Device memory in use by one MIG instance (nvidia-smi).</source>
        <translation>一个 MIG 实例已用的显存（nvidia-smi）。</translation>
    </message>
    <message>
        <source>Device memory in use, without the driver&apos;s reserve (NVML).</source>
        <translation>使用中的显存，不含驱动预留（NVML）。</translation>
    </message>
    <message>
        <source>Device memory installed (NVML).</source>
        <translation>显存容量（NVML）。</translation>
    </message>
    <message>
        <source>Device memory mapped for direct access (nvidia-smi).</source>
        <translation>为直接访问映射的显存（nvidia-smi）。</translation>
    </message>
    <message>
        <source>Device memory not in use (nvidia-smi, DCGM).</source>
        <translation>未使用的显存（nvidia-smi、DCGM）。</translation>
    </message>
    <message>
        <source>Device memory of one MIG instance (nvidia-smi).</source>
        <translation>一个 MIG 实例的显存（nvidia-smi）。</translation>
    </message>
    <message>
        <source>Device memory of one process (NVML).</source>
        <translation>单个进程的显存（NVML）。</translation>
    </message>
    <message>
        <source>Device memory reserved by driver and firmware (nvidia-smi, DCGM).</source>
        <translation>驱动和固件保留的显存（nvidia-smi、DCGM）。</translation>
    </message>
    <message>
        <source>Dirty pages</source>
        <translation>脏页</translation>
    </message>
    <message>
        <source>Disk busy</source>
        <translation>磁盘占用</translation>
    </message>
    <message>
        <source>Disk read</source>
        <translation>磁盘读</translation>
    </message>
    <message>
        <source>Disk write</source>
        <translation>磁盘写</translation>
    </message>
    <message>
        <source>Drain the node and reset the GPU.</source>
        <translation>drain 该节点并重置 GPU。</translation>
    </message>
    <message>
        <source>Drain the node and reset the GPU; replace it if the code repeats after a reset and with other drivers.</source>
        <translation>排空该节点并重置 GPU；若重置后、换驱动后代码仍重复出现，则更换 GPU。</translation>
    </message>
    <message>
        <source>Drain the node and run the test again: repeated, replace what it names; wrong values without an error of their own mean a GPU, link or adapter that corrupts data.</source>
        <translation>排空该节点并重新测试：若重复出现，更换其所指部件；没有自身错误却有错误值，说明有 GPU、链路或网卡损坏数据。</translation>
    </message>
    <message>
        <source>Drain the node; check card, riser and slot.</source>
        <translation>drain 该节点；检查网卡、riser 与插槽。</translation>
    </message>
    <message>
        <source>Drain the node; replace the DIMM.</source>
        <translation>drain 该节点；更换该 DIMM。</translation>
    </message>
    <message>
        <source>Drain, power-cycle the node; check PCIe, power and temperatures.</source>
        <translation>drain 并断电重启节点；检查 PCIe、供电与温度。</translation>
    </message>
    <message>
        <source>Drain, reset the GPU, reboot if the reset fails; update driver and firmware.</source>
        <translation>drain 并重置 GPU，重置失败则重启节点；更新驱动与固件。</translation>
    </message>
    <message>
        <source>Drain, reset the GPU.</source>
        <translation>drain 并重置 GPU。</translation>
    </message>
    <message>
        <source>Drain, reset the GPU; look for 63, 64, 94 and 95 beside it (171 DRAM, 172 SRAM).</source>
        <translation>drain 并重置 GPU；查看同时的 63、64、94 与 95（171 DRAM，172 SRAM）。</translation>
    </message>
    <message>
        <source>Driver or firmware</source>
        <translation>驱动或固件</translation>
    </message>
    <message>
        <source>Driver or hardware: look at what precedes it.</source>
        <translation>驱动或硬件：查看其之前的内容。</translation>
    </message>
    <message>
        <source>ECC corrected</source>
        <translation>ECC 已纠正</translation>
    </message>
    <message>
        <source>ECC corrected since load</source>
        <translation>ECC 已纠正（自驱动加载）</translation>
    </message>
    <message>
        <source>ECC mode</source>
        <translation>ECC 模式</translation>
    </message>
    <message>
        <source>ECC uncorrected</source>
        <translation>ECC 未纠正</translation>
    </message>
    <message>
        <source>ECC uncorrected since load</source>
        <translation>ECC 未纠正（自驱动加载）</translation>
    </message>
    <message>
        <source>Encoder busy</source>
        <translation>编码器占用</translation>
    </message>
    <message>
        <source>Ends without a begin on their thread: the trace began too late, or lost events. They are left out.</source>
        <translation>线程上有结束而无开始：trace 开始得太晚，或丢失了事件。已略去。</translation>
    </message>
    <message>
        <source>Ends without a begin, as when the file begins in the middle of a step; they have no duration.</source>
        <translation>有结束而无开始，例如文件从一步中间开始；它们没有时长。</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>能耗</translation>
    </message>
    <message>
        <source>Energy used since the driver was loaded (NVML).</source>
        <translation>自驱动加载以来的能耗（NVML）。</translation>
    </message>
    <message>
        <source>Enforced board power limit (NVML).</source>
        <translation>生效的板卡功率上限（NVML）。</translation>
    </message>
    <message>
        <source>Engine active</source>
        <translation>引擎活跃</translation>
    </message>
    <message>
        <source>Enlarge /dev/shm (in containers: --shm-size or --ipc=host).</source>
        <translation>增大 /dev/shm（容器中：--shm-size 或 --ipc=host）。</translation>
    </message>
    <message>
        <source>Entries are marked as completed, but their end is missing or before their begin: they are shown without length. Their arguments hold the times as written.</source>
        <translation>条目标记为已完成，但结束缺失或早于开始：显示为没有时长。其参数中有原始时间。</translation>
    </message>
    <message>
        <source>Entries of a dump have neither the time they were made nor the one they began, so they have no place on the timeline and are left out.</source>
        <translation>转储中的条目既没有创建时间也没有开始时间，无法放到时间线上，已略去。</translation>
    </message>
    <message>
        <source>Entries of a dump that are not dictionaries are left out.</source>
        <translation>转储中不是字典的条目已略去。</translation>
    </message>
    <message>
        <source>Entries of log_history have no whole-number step, so they have no place on a curve and were skipped.</source>
        <translation>log_history 的条目没有整数步，无法放到曲线上，已跳过。</translation>
    </message>
    <message>
        <source>Events without a begin, or with a negative or overflowing duration, are left out.</source>
        <translation>没有开始、或时长为负或溢出的事件已略去。</translation>
    </message>
    <message>
        <source>Events without a kind and a message were left out: the agent is broken.</source>
        <translation>没有类型和消息的事件已略去：agent 出错。</translation>
    </message>
    <message>
        <source>Events without a time, or with one beyond 64 bits of nanoseconds, are left out.</source>
        <translation>没有时间、或时间超出 64 位纳秒的事件已略去。</translation>
    </message>
    <message>
        <source>Every application on the GPU is affected: drain, reset.</source>
        <translation>影响该 GPU 上的所有应用：drain 并重置。</translation>
    </message>
    <message>
        <source>Everything that reads or writes there waits: data loaders and checkpoints first.</source>
        <translation>读写该处的都会等待：首先是 data loader 与 checkpoint。</translation>
    </message>
    <message>
        <source>Everything that reads or writes there waits: look at its server and at the node&apos;s network.</source>
        <translation>读写该处的都会等待：查看其服务器与节点网络。</translation>
    </message>
    <message>
        <source>Exact mode was asked for and is not possible in this process; kernels are timed by events as before. Reasons (in the detail): a profiler that is already there, no CUPTI, or one whose records the tracer does not know.</source>
        <translation>请求了精确模式，但在此进程中不可行；kernel 仍用 event 计时。原因（见详情）：已有 profiler、没有 CUPTI，或 tracer 不认识其记录。</translation>
    </message>
    <message>
        <source>Exemplars (single traced values behind a sample) are counted and not kept.</source>
        <translation>Exemplar（样本背后的单个被追踪的值）只计数，不保留。</translation>
    </message>
    <message>
        <source>FP16 active</source>
        <translation>FP16 活跃</translation>
    </message>
    <message>
        <source>FP32 active</source>
        <translation>FP32 活跃</translation>
    </message>
    <message>
        <source>FP64 active</source>
        <translation>FP64 活跃</translation>
    </message>
    <message>
        <source>Fan speed</source>
        <translation>风扇转速</translation>
    </message>
    <message>
        <source>Fatal ones end every job on the switch: look at the port&apos;s peer GPU.</source>
        <translation>致命的会结束该交换机上的所有作业：查看端口对端的 GPU。</translation>
    </message>
    <message>
        <source>Faulty GPU</source>
        <translation>GPU 故障</translation>
    </message>
    <message>
        <source>Fields of a column of numbers that hold something else; those values are missing. The detail shows the first one.</source>
        <translation>数字列中含有其他内容的字段；这些值缺失。详情给出第一个。</translation>
    </message>
    <message>
        <source>Fields of more than 64 KiB, or beyond 4,096 in a record, were cut or left out: probably a quote is missing.</source>
        <translation>超过 64 KiB 的字段，或一条记录中超过 4,096 个的字段，被截断或略去：可能缺少引号。</translation>
    </message>
    <message>
        <source>Fields that are empty or marked as absent (N/A, -). They are absent, not zero.</source>
        <translation>为空或标记为缺失（N/A、-）的字段。它们是缺失，不是零。</translation>
    </message>
    <message>
        <source>Fields whose values are words, such as modes and states. Only numbers and yes or no become curves; the original file has the words.</source>
        <translation>值为文字的字段，例如模式和状态。只有数字和是/否成为曲线；原文件中有文字。</translation>
    </message>
    <message>
        <source>File data waiting to be written to disk (/proc/meminfo).</source>
        <translation>等待写入磁盘的文件数据（/proc/meminfo）。</translation>
    </message>
    <message>
        <source>Firmware or driver of the adapter.</source>
        <translation>网卡的固件或驱动。</translation>
    </message>
    <message>
        <source>First fault code of an Ascend NPU, 0 for none (npu-exporter).</source>
        <translation>昇腾 NPU 的首个故障码，0 表示没有（npu-exporter）。</translation>
    </message>
    <message>
        <source>First sample</source>
        <translation>首个样本</translation>
    </message>
    <message>
        <source>Follows from an earlier error of the same queue pair.</source>
        <translation>由同一 queue pair 更早的错误引起。</translation>
    </message>
    <message>
        <source>Free huge blocks</source>
        <translation>空闲大块内存</translation>
    </message>
    <message>
        <source>Free memory in blocks of order 9 and more; little of it means compaction stalls (/proc/buddyinfo).</source>
        <translation>9 阶及以上块的空闲内存；过少意味着规整停顿（/proc/buddyinfo）。</translation>
    </message>
    <message>
        <source>Free space</source>
        <translation>剩余空间</translation>
    </message>
    <message>
        <source>Fuse kernels (torch.compile, fused optimizer) or use CUDA graphs</source>
        <translation>融合 kernel（torch.compile、fused optimizer）或使用 CUDA graphs</translation>
    </message>
    <message>
        <source>GPU SRAM memory</source>
        <translation>GPU SRAM 存储器</translation>
    </message>
    <message>
        <source>GPU busy</source>
        <translation>GPU 占用</translation>
    </message>
    <message>
        <source>GPU clocks throttled by heat or power</source>
        <translation>GPU 因温度或功率降频</translation>
    </message>
    <message>
        <source>GPU core temperature (NVML).</source>
        <translation>GPU 核心温度（NVML）。</translation>
    </message>
    <message>
        <source>GPU driver</source>
        <translation>GPU 驱动</translation>
    </message>
    <message>
        <source>GPU error reported by the driver</source>
        <translation>驱动报告 GPU 错误</translation>
    </message>
    <message>
        <source>GPU fatal timeout</source>
        <translation>GPU 致命超时</translation>
    </message>
    <message>
        <source>GPU has fallen off the bus</source>
        <translation>GPU 掉卡（从总线掉线）</translation>
    </message>
    <message>
        <source>GPU initialisation error</source>
        <translation>GPU 初始化错误</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>GPU memory (HBM)</source>
        <translation>显存（HBM）</translation>
    </message>
    <message>
        <source>GPU memory free</source>
        <translation>空闲显存</translation>
    </message>
    <message>
        <source>GPU memory page fault</source>
        <translation>显存缺页错误</translation>
    </message>
    <message>
        <source>GPU memory reserved</source>
        <translation>保留的显存</translation>
    </message>
    <message>
        <source>GPU memory size</source>
        <translation>显存容量</translation>
    </message>
    <message>
        <source>GPU process</source>
        <translation>GPU 进程</translation>
    </message>
    <message>
        <source>GPU stopped processing (timeout)</source>
        <translation>GPU 停止处理（超时）</translation>
    </message>
    <message>
        <source>GPU stopped processing for this application</source>
        <translation>GPU 停止处理该应用</translation>
    </message>
    <message>
        <source>GPU system processor (GSP)</source>
        <translation>GPU 系统处理器（GSP）</translation>
    </message>
    <message>
        <source>GPU temperature as the board&apos;s controller reads it.</source>
        <translation>板卡控制器读取的 GPU 温度。</translation>
    </message>
    <message>
        <source>GPU thermal interface or sensor</source>
        <translation>GPU 导热界面或传感器</translation>
    </message>
    <message>
        <source>GPU work inside a CUDA graph capture is not timed one by one; the graph&apos;s launches are, in traced steps.</source>
        <translation>CUDA graph 捕获中的 GPU 工作不逐个计时；在被追踪的步中，graph 的启动会计时。</translation>
    </message>
    <message>
        <source>GSP RPC timeout</source>
        <translation>GSP RPC 超时</translation>
    </message>
    <message>
        <source>GSP error</source>
        <translation>GSP 错误</translation>
    </message>
    <message>
        <source>Graphics clock</source>
        <translation>图形频率</translation>
    </message>
    <message>
        <source>Highest PCIe generation that device and slot support (NVML).</source>
        <translation>设备和插槽支持的最高 PCIe 代数（NVML）。</translation>
    </message>
    <message>
        <source>Highest SM clock that the device allows (NVML).</source>
        <translation>设备允许的最高 SM 频率（NVML）。</translation>
    </message>
    <message>
        <source>Highest temperature on the die (AMD: junction).</source>
        <translation>芯片上的最高温度（AMD：junction）。</translation>
    </message>
    <message>
        <source>Hotspot temperature</source>
        <translation>热点温度</translation>
    </message>
    <message>
        <source>How far below its slowdown limit a GPU is.</source>
        <translation>GPU 距降频温度的余量。</translation>
    </message>
    <message>
        <source>How long a mount took to say its free space; seconds mean a stalled file server.</source>
        <translation>挂载返回剩余空间所用时间；达到秒级说明文件服务器停滞。</translation>
    </message>
    <message>
        <source>Huge page fallbacks</source>
        <translation>大页回退</translation>
    </message>
    <message>
        <source>Huge pages</source>
        <translation>大页</translation>
    </message>
    <message>
        <source>Hyperparameters (learning rate, clipping, batch size)</source>
        <translation>超参数（学习率、裁剪、batch size）</translation>
    </message>
    <message>
        <source>I/O pressure</source>
        <translation>I/O 压力</translation>
    </message>
    <message>
        <source>I/O pressure, full</source>
        <translation>I/O 压力（完全）</translation>
    </message>
    <message>
        <source>I/O wait</source>
        <translation>I/O 等待</translation>
    </message>
    <message>
        <source>IO expansion board</source>
        <translation>IO 扩展板</translation>
    </message>
    <message>
        <source>In exact mode some kernels or copies have no record or no times: CUPTI had no buffer left, or they had not ended when it was switched off. Trace fewer steps at a time.</source>
        <translation>精确模式下部分 kernel 或拷贝没有记录或时间：CUPTI 没有剩余缓冲，或关闭时尚未结束。请一次追踪较少的步。</translation>
    </message>
    <message>
        <source>Increments of a time before the newest one of their series are refused: the total at that time is stored already. Send cumulative values, or from one process only.</source>
        <translation>早于其序列最新时间的增量被拒绝：该时刻的总量已存储。请发送累计值，或仅由一个进程发送。</translation>
    </message>
    <message>
        <source>Index after the last sample a rank consumed in a step.</source>
        <translation>某步中 rank 消费的最后一个样本之后的索引。</translation>
    </message>
    <message>
        <source>Index of the first sample a rank consumed in a step.</source>
        <translation>某步中 rank 消费的第一个样本的索引。</translation>
    </message>
    <message>
        <source>Installed memory that the kernel manages (/proc/meminfo).</source>
        <translation>内核管理的内存容量（/proc/meminfo）。</translation>
    </message>
    <message>
        <source>Involuntary switches</source>
        <translation>非自愿切换</translation>
    </message>
    <message>
        <source>It copies batches to pinned host memory: look for a CUDA error or an Xid of that rank&apos;s GPU (it may be lost), a killed loader process, and host memory.</source>
        <translation>它把批次复制到锁页主机内存：查看该 rank 的 GPU 是否有 CUDA 错误或 Xid（可能已掉卡）、加载器进程是否被杀，以及主机内存。</translation>
    </message>
    <message>
        <source>It is the others that wait: the cause is the rank that never came, or the fault on its GPU, node or link. Compare sequence numbers and last completed work of all ranks.</source>
        <translation>等待的是其他 rank：原因是未到的 rank，或其 GPU、节点、链路的故障。比较所有 rank 的序号与最后完成的工作。</translation>
    </message>
    <message>
        <source>It may be back at once; else it is lost.</source>
        <translation>它可能立即恢复；否则为失联。</translation>
    </message>
    <message>
        <source>Its message names the system and the devices.</source>
        <translation>其消息给出报告系统和设备。</translation>
    </message>
    <message>
        <source>Its stack is in the log lines before it.</source>
        <translation>其栈在之前的日志行中。</translation>
    </message>
    <message>
        <source>Its text names the action; the reason is the Xid before it.</source>
        <translation>其文本指明处理动作；原因是它之前的 Xid。</translation>
    </message>
    <message>
        <source>JPEG busy</source>
        <translation>JPEG 占用</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV cache</translation>
    </message>
    <message>
        <source>KV cache on CPU</source>
        <translation>CPU 上的 KV cache</translation>
    </message>
    <message>
        <source>Kernels of a timeline are shown by their codes: their names are in the .timeline.meta file of the same rank, which must be in the folder of the timeline, unpacked.</source>
        <translation>时间线的 kernel 以代码显示：其名称在同一 rank 的 .timeline.meta 文件中，该文件须解包后放在时间线所在的文件夹。</translation>
    </message>
    <message>
        <source>Killed or crashed: look at the kernel log, host memory and the rank&apos;s own log.</source>
        <translation>被杀或崩溃：查看内核日志、主机内存与该 rank 自己的日志。</translation>
    </message>
    <message>
        <source>Last Xid</source>
        <translation>最近的 Xid</translation>
    </message>
    <message>
        <source>Last sample</source>
        <translation>最后样本</translation>
    </message>
    <message>
        <source>Latency that a test measured (perftest, nvbandwidth).</source>
        <translation>测试测得的延迟（perftest、nvbandwidth）。</translation>
    </message>
    <message>
        <source>Layout of the parallel job (unequal stages, sequences or experts)</source>
        <translation>并行布局（stage、序列或 expert 不均）</translation>
    </message>
    <message>
        <source>Leave more host memory free: smaller caches, fewer workers</source>
        <translation>留出更多主机内存：减小缓存，减少 worker</translation>
    </message>
    <message>
        <source>Lines of a table that cannot be read are left out; the detail shows the first one.</source>
        <translation>无法读取的表格行被略去；详情给出第一行。</translation>
    </message>
    <message>
        <source>Lines of an NCCL Inspector log are no JSON objects and are left out.</source>
        <translation>NCCL Inspector 日志中不是 JSON 对象的行已略去。</translation>
    </message>
    <message>
        <source>Lines of more than 1 MiB are cut; no kernel writes such lines.</source>
        <translation>超过 1 MiB 的行被截断；没有内核会写这样的行。</translation>
    </message>
    <message>
        <source>Lines of one log have different clocks: some since boot, some of the day. Those unlike the first are kept without a time.</source>
        <translation>同一日志的行有不同的时钟：有的自启动起，有的为当天时间。与第一行不同的保留，但没有时间。</translation>
    </message>
    <message>
        <source>Lines that are neither samples nor comments of the Prometheus text format are left out; the detail shows the first one.</source>
        <translation>既不是样本也不是 Prometheus 文本格式注释的行已略去；详情给出第一个。</translation>
    </message>
    <message>
        <source>Lines that are no power readings as MLPerf writes them are left out.</source>
        <translation>不是 MLPerf 格式功率读数的行已略去。</translation>
    </message>
    <message>
        <source>Lines that are no training events as DLRover writes them are left out.</source>
        <translation>不是 DLRover 格式训练事件的行已略去。</translation>
    </message>
    <message>
        <source>Link changes</source>
        <translation>链路变化</translation>
    </message>
    <message>
        <source>Link recoveries on all NVLinks (NVML).</source>
        <translation>所有 NVLink 的链路恢复次数（NVML）。</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Local physical errors above the threshold.</source>
        <translation>超过阈值的本地物理错误。</translation>
    </message>
    <message>
        <source>Log every N steps, and read metrics back asynchronously</source>
        <translation>每 N 步记录一次日志，并异步读回指标</translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation>日志行</translation>
    </message>
    <message>
        <source>Look at host memory, pinned buffers and data loaders.</source>
        <translation>查看主机内存、pinned 缓冲与 data loader。</translation>
    </message>
    <message>
        <source>Look at its console, its BMC&apos;s event log and the scheduler&apos;s log of that time.</source>
        <translation>检查该节点的控制台、BMC 事件日志以及调度器在该时刻的日志。</translation>
    </message>
    <message>
        <source>Look at its traceback.</source>
        <translation>查看其 traceback。</translation>
    </message>
    <message>
        <source>Look at mount_free_bytes: checkpoints, logs, caches.</source>
        <translation>查看 mount_free_bytes：checkpoint、日志、缓存。</translation>
    </message>
    <message>
        <source>Look at that process&apos;s own log.</source>
        <translation>查看该进程自己的日志。</translation>
    </message>
    <message>
        <source>Look at that rank.</source>
        <translation>查看该 rank。</translation>
    </message>
    <message>
        <source>Look at the DIMM or CPU it names.</source>
        <translation>查看其指明的 DIMM 或 CPU。</translation>
    </message>
    <message>
        <source>Look at the NCCL WARN lines before it; NCCL_DEBUG=WARN prints them.</source>
        <translation>查看其之前的 NCCL WARN 行；NCCL_DEBUG=WARN 可打印。</translation>
    </message>
    <message>
        <source>Look at the NCCL error that it names.</source>
        <translation>查看其指明的 NCCL 错误。</translation>
    </message>
    <message>
        <source>Look at the counters of the adapter that it names.</source>
        <translation>查看其指明的网卡的计数。</translation>
    </message>
    <message>
        <source>Look at the link and at the peer; NCCL_IB_TIMEOUT and NCCL_IB_RETRY_CNT bridge short interruptions.</source>
        <translation>查看链路与对端；NCCL_IB_TIMEOUT 与 NCCL_IB_RETRY_CNT 可渡过短暂中断。</translation>
    </message>
    <message>
        <source>Look at the peer: versions or sizes differ.</source>
        <translation>查看对端：版本或大小不一致。</translation>
    </message>
    <message>
        <source>Look at the port&apos;s peer GPU.</source>
        <translation>查看端口对端的 GPU。</translation>
    </message>
    <message>
        <source>Look at the port&apos;s state and counters.</source>
        <translation>查看端口状态与计数。</translation>
    </message>
    <message>
        <source>Look at what it printed before.</source>
        <translation>查看其之前的输出。</translation>
    </message>
    <message>
        <source>Look at what precedes it.</source>
        <translation>查看其之前的内容。</translation>
    </message>
    <message>
        <source>Look for Xid 48, 63, 64, 74, 94 or 95; drain the node.</source>
        <translation>查找 Xid 48、63、64、74、94 或 95；drain 该节点。</translation>
    </message>
    <message>
        <source>Look for Xid 79; check driver and fabric manager.</source>
        <translation>查找 Xid 79；检查驱动与 fabric manager。</translation>
    </message>
    <message>
        <source>Look for a CUDA error or an Xid of that rank&apos;s GPU just before: NCCL only met it.</source>
        <translation>查看该 rank 的 GPU 此前的 CUDA 错误或 Xid：NCCL 只是遇到它。</translation>
    </message>
    <message>
        <source>Look for an Xid of that GPU.</source>
        <translation>查找该 GPU 的 Xid。</translation>
    </message>
    <message>
        <source>Look for an Xid of that GPU; else the program.</source>
        <translation>查找该 GPU 的 Xid；否则为程序。</translation>
    </message>
    <message>
        <source>Look for the rank that did not start or ended before; then at the address of rank 0.</source>
        <translation>查找未启动或提前结束的 rank；再看 rank 0 的地址。</translation>
    </message>
    <message>
        <source>Look the code up in Huawei&apos;s fault code list; Separate and ManuallySeparate levels mean: drain the node.</source>
        <translation>在华为故障码列表中查该代码；级别为 Separate 或 ManuallySeparate 时应排空该节点。</translation>
    </message>
    <message>
        <source>Look the code up in Huawei&apos;s fault code list; drain the node where the level is Separate.</source>
        <translation>在华为故障码列表中查该代码；级别为 Separate 时排空该节点。</translation>
    </message>
    <message>
        <source>Look the code up in Huawei&apos;s fault code list; drain the node where the level is SeparateFault.</source>
        <translation>在华为故障码列表中查该代码；级别为 SeparateFault 时排空该节点。</translation>
    </message>
    <message>
        <source>Looked for and not found</source>
        <translation>已查找，未发现</translation>
    </message>
    <message>
        <source>Loss and gradient norm</source>
        <translation>Loss 与梯度范数</translation>
    </message>
    <message>
        <source>Losses in the fabric, or adaptive routing: look at discards of switches and at PFC.</source>
        <translation>fabric 丢包，或自适应路由：查看交换机丢弃与 PFC。</translation>
    </message>
    <message>
        <source>Losses in the fabric: look at switches and at PFC.</source>
        <translation>fabric 丢包：查看交换机与 PFC。</translation>
    </message>
    <message>
        <source>Losses reported by the other end.</source>
        <translation>对端报告的丢包。</translation>
    </message>
    <message>
        <source>Losses seen from later acknowledgements.</source>
        <translation>由后续 ACK 发现的丢包。</translation>
    </message>
    <message>
        <source>Low utilization violation</source>
        <translation>低利用率违规</translation>
    </message>
    <message>
        <source>MIG memory</source>
        <translation>MIG 显存</translation>
    </message>
    <message>
        <source>MIG memory size</source>
        <translation>MIG 显存容量</translation>
    </message>
    <message>
        <source>MIG mode</source>
        <translation>MIG 模式</translation>
    </message>
    <message>
        <source>Major faults</source>
        <translation>主缺页</translation>
    </message>
    <message>
        <source>Mean time of a collective (NCCL Inspector).</source>
        <translation>一次集合通信的平均时间（NCCL Inspector）。</translation>
    </message>
    <message>
        <source>Mean time of a send or receive (NCCL Inspector).</source>
        <translation>一次发送或接收的平均时间（NCCL Inspector）。</translation>
    </message>
    <message>
        <source>Median time between changes of the power reading: nothing finer can be claimed.</source>
        <translation>功率读数两次变化间隔的中位数：更细的无法断言。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory available</source>
        <translation>可用内存</translation>
    </message>
    <message>
        <source>Memory busy</source>
        <translation>显存占用</translation>
    </message>
    <message>
        <source>Memory clock</source>
        <translation>显存频率</translation>
    </message>
    <message>
        <source>Memory corruption or a defect of NCCL, its plugin or the driver: note the versions; try another one.</source>
        <translation>内存损坏，或 NCCL、其插件、驱动的缺陷：记录版本并换用其他版本。</translation>
    </message>
    <message>
        <source>Memory of the peer is gone or was never registered.</source>
        <translation>对端内存已释放或从未注册。</translation>
    </message>
    <message>
        <source>Memory pressure</source>
        <translation>内存压力</translation>
    </message>
    <message>
        <source>Memory pressure, full</source>
        <translation>内存压力（完全）</translation>
    </message>
    <message>
        <source>Memory registration of this node.</source>
        <translation>此节点的内存注册。</translation>
    </message>
    <message>
        <source>Memory rows remapped after corrected errors (NVML).</source>
        <translation>纠正错误后重映射的显存行（NVML）。</translation>
    </message>
    <message>
        <source>Memory rows remapped after uncorrectable errors (NVML).</source>
        <translation>不可纠正错误后重映射的显存行（NVML）。</translation>
    </message>
    <message>
        <source>Memory temperature</source>
        <translation>显存温度</translation>
    </message>
    <message>
        <source>Memory that can be had without swapping (/proc/meminfo).</source>
        <translation>无需 swap 即可获得的内存（/proc/meminfo）。</translation>
    </message>
    <message>
        <source>Memory was not registered or is gone: GPUDirect, ACS and IOMMU settings, or the GPU itself.</source>
        <translation>内存未注册或已释放：GPUDirect、ACS 与 IOMMU 设置，或 GPU 本身。</translation>
    </message>
    <message>
        <source>Messages per second in a test (perftest).</source>
        <translation>测试中每秒的消息数（perftest）。</translation>
    </message>
    <message>
        <source>Minor link errors; judge their rate against other ports.</source>
        <translation>轻微链路错误；请与其他端口比较其速率。</translation>
    </message>
    <message>
        <source>More GPU work was under way than the tracer had events for; these operations are not on the timeline, the trainer was not slowed. Raise RUNGLASS_CUDA_EVENTS.</source>
        <translation>进行中的 GPU 工作多于 tracer 的 event 数；这些操作不在时间线上，trainer 没有变慢。请提高 RUNGLASS_CUDA_EVENTS。</translation>
    </message>
    <message>
        <source>More begins without an end than fit in 64 MiB. Those beyond are left out, as are their ends: the writer lost its ends.</source>
        <translation>有开始而无结束的事件超过 64 MiB 所能容纳。超出的及其结束均略去：写入者丢失了结束。</translation>
    </message>
    <message>
        <source>More than 20,000 causes hold at once. Further ones are counted here and not sent.</source>
        <translation>同时有超过 20,000 个原因成立。更多的在此计数，不发送。</translation>
    </message>
    <message>
        <source>More than 65,536 objects at a time, or more than 16,384 facts of one: the later ones are left out. Select namespaces.</source>
        <translation>同时超过 65,536 个对象，或单个对象超过 16,384 条事实：其后的被略去。请选择命名空间。</translation>
    </message>
    <message>
        <source>More than two million series, or one million GPUs, are refused. Name nodes or a selector.</source>
        <translation>超过两百万个序列或一百万块 GPU 的部分被拒绝。请指定节点或选择器。</translation>
    </message>
    <message>
        <source>Mount answer time</source>
        <translation>挂载响应时间</translation>
    </message>
    <message>
        <source>NCCL P2P bandwidth</source>
        <translation>NCCL P2P 带宽</translation>
    </message>
    <message>
        <source>NCCL P2P time</source>
        <translation>NCCL P2P 时间</translation>
    </message>
    <message>
        <source>NCCL bandwidth</source>
        <translation>NCCL 带宽</translation>
    </message>
    <message>
        <source>NCCL bus bandwidth</source>
        <translation>NCCL 总线带宽</translation>
    </message>
    <message>
        <source>NCCL collective time</source>
        <translation>NCCL 集合通信时间</translation>
    </message>
    <message>
        <source>NCCL found itself in a state that it does not expect</source>
        <translation>NCCL 内部状态异常</translation>
    </message>
    <message>
        <source>NCCL found no room in shared memory</source>
        <translation>NCCL 共享内存不足</translation>
    </message>
    <message>
        <source>NCCL version</source>
        <translation>NCCL 版本</translation>
    </message>
    <message>
        <source>NCCL waited in vain for a peer or an adapter</source>
        <translation>NCCL 等待对端或网卡未果</translation>
    </message>
    <message>
        <source>NCCL was given an invalid argument</source>
        <translation>NCCL 收到无效参数</translation>
    </message>
    <message>
        <source>NCCL was used in an invalid way</source>
        <translation>NCCL 用法无效</translation>
    </message>
    <message>
        <source>NPU fault code</source>
        <translation>NPU 故障码</translation>
    </message>
    <message>
        <source>NVLink CRC errors</source>
        <translation>NVLink CRC 错误</translation>
    </message>
    <message>
        <source>NVLink MSE error</source>
        <translation>NVLink MSE 错误</translation>
    </message>
    <message>
        <source>NVLink NETIR error (link event or bit error rate)</source>
        <translation>NVLink NETIR 错误（链路事件或误码率）</translation>
    </message>
    <message>
        <source>NVLink NVLPW_CTRL error</source>
        <translation>NVLink NVLPW_CTRL 错误</translation>
    </message>
    <message>
        <source>NVLink RLW error</source>
        <translation>NVLink RLW 错误</translation>
    </message>
    <message>
        <source>NVLink SAW error</source>
        <translation>NVLink SAW 错误</translation>
    </message>
    <message>
        <source>NVLink TLW error</source>
        <translation>NVLink TLW 错误</translation>
    </message>
    <message>
        <source>NVLink TREX error</source>
        <translation>NVLink TREX 错误</translation>
    </message>
    <message>
        <source>NVLink error</source>
        <translation>NVLink 错误</translation>
    </message>
    <message>
        <source>NVLink or NVSwitch</source>
        <translation>NVLink 或 NVSwitch</translation>
    </message>
    <message>
        <source>NVLink receive</source>
        <translation>NVLink 接收</translation>
    </message>
    <message>
        <source>NVLink recoveries</source>
        <translation>NVLink 恢复</translation>
    </message>
    <message>
        <source>NVLink replays</source>
        <translation>NVLink 重传</translation>
    </message>
    <message>
        <source>NVLink software-defined error</source>
        <translation>NVLink 软件定义错误</translation>
    </message>
    <message>
        <source>NVLink training failed</source>
        <translation>NVLink 链路训练失败</translation>
    </message>
    <message>
        <source>NVLink transmit</source>
        <translation>NVLink 发送</translation>
    </message>
    <message>
        <source>NVLinks up</source>
        <translation>NVLink 在线数</translation>
    </message>
    <message>
        <source>NVSwitch error</source>
        <translation>NVSwitch 错误</translation>
    </message>
    <message>
        <source>NVSwitch error reported by the fabric manager</source>
        <translation>fabric manager 报告 NVSwitch 错误</translation>
    </message>
    <message>
        <source>Neither the name of a dump nor its process groups contain its rank. Name the files as PyTorch does, with the rank at the end.</source>
        <translation>转储的文件名和进程组都不含其 rank。请像 PyTorch 那样命名文件，以 rank 结尾。</translation>
    </message>
    <message>
        <source>Net drops</source>
        <translation>网络丢包</translation>
    </message>
    <message>
        <source>Net errors</source>
        <translation>网络错误</translation>
    </message>
    <message>
        <source>Net receive</source>
        <translation>网络接收</translation>
    </message>
    <message>
        <source>Net transmit</source>
        <translation>网络发送</translation>
    </message>
    <message>
        <source>Network card</source>
        <translation>网卡</translation>
    </message>
    <message>
        <source>Network congestion</source>
        <translation>网络拥塞</translation>
    </message>
    <message>
        <source>Network switch or cable</source>
        <translation>交换机或线缆</translation>
    </message>
    <message>
        <source>New series came faster than a sender may add them; their samples were refused with 429, so that the sender can send them again.</source>
        <translation>新序列的出现速度超过一个发送方的上限；其样本以 429 拒绝，发送方可以重发。</translation>
    </message>
    <message>
        <source>No error by itself: the program must poll ncclCommGetAsyncError().</source>
        <translation>本身不是错误：程序需轮询 ncclCommGetAsyncError()。</translation>
    </message>
    <message>
        <source>No rule file matches this trainer. The generic rule read lines with a loss: names and numbers are as printed, units and the meaning of a step are unknown. To state them, add a rule of your own (docs/formats/log_rules.md).</source>
        <translation>没有规则文件匹配此 trainer。通用规则读取了含 loss 的行：名称和数字按打印的保留，单位和步的含义未知。要说明它们，请添加自己的规则（docs/formats/log_rules.md）。</translation>
    </message>
    <message>
        <source>Node power</source>
        <translation>节点功率</translation>
    </message>
    <message>
        <source>Not this rank: look for the first rank that failed, its GPU, node and link.</source>
        <translation>不是此 rank：查找最先失败的 rank，及其 GPU、节点与链路。</translation>
    </message>
    <message>
        <source>Numerics (precision, loss scale, overflow)</source>
        <translation>数值（精度、loss scale、溢出）</translation>
    </message>
    <message>
        <source>OOM kills</source>
        <translation>OOM kill 次数</translation>
    </message>
    <message>
        <source>Objects of more than 2 MiB, or nested more than 64 deep, were skipped; the API server stores none of that size.</source>
        <translation>大于 2 MiB 或嵌套超过 64 层的对象被跳过；API 服务器不保存这样大的对象。</translation>
    </message>
    <message>
        <source>Of one port: its link fell back or is congested. Of all: the job is slower or has changed.</source>
        <translation>单个端口：链路降级或拥塞。全部端口：作业变慢或已改变。</translation>
    </message>
    <message>
        <source>Of one port: its link, its switch, or the process on its GPU. Of all: the job hangs or waits; look at its progress.</source>
        <translation>单个端口：其链路、交换机，或其 GPU 上的进程。全部端口：作业挂起或等待；查看其进度。</translation>
    </message>
    <message>
        <source>Often /dev/shm or a mapped file&apos;s disk is full.</source>
        <translation>通常是 /dev/shm 或映射文件所在磁盘已满。</translation>
    </message>
    <message>
        <source>Often memory that ran out, or an error before it.</source>
        <translation>往往是内存耗尽，或更早的错误。</translation>
    </message>
    <message>
        <source>Once is nothing; often: cable, transceiver, switch port. NCCL_IB_TIMEOUT must outlast it.</source>
        <translation>一次无妨；频繁则检查线缆、光模块、交换机端口。NCCL_IB_TIMEOUT 需长于它。</translation>
    </message>
    <message>
        <source>One kind of event occurs thousands of times; those beyond the limit are counted here but not listed.</source>
        <translation>一种事件出现数千次；超出上限的在此计数，但不列出。</translation>
    </message>
    <message>
        <source>Only that application is affected; reset the GPU when idle.</source>
        <translation>只影响该应用；空闲时重置 GPU。</translation>
    </message>
    <message>
        <source>Operations have no number in their communicator, so they have no place on a curve; those with times are on the timeline.</source>
        <translation>操作在其通信器中没有序号，无法放到曲线上；有时间的在时间线上。</translation>
    </message>
    <message>
        <source>Operator action (restart, wrong setting)</source>
        <translation>人为操作（重启、错误设置）</translation>
    </message>
    <message>
        <source>Optical flow busy</source>
        <translation>光流占用</translation>
    </message>
    <message>
        <source>Out of memory on a GPU or a host</source>
        <translation>GPU 或主机内存不足</translation>
    </message>
    <message>
        <source>P-state: 0 is the highest performance, 15 the lowest (NVML).</source>
        <translation>P-state：0 性能最高，15 最低（NVML）。</translation>
    </message>
    <message>
        <source>PCIe generation</source>
        <translation>PCIe 代数</translation>
    </message>
    <message>
        <source>PCIe generation limit</source>
        <translation>PCIe 代数上限</translation>
    </message>
    <message>
        <source>PCIe lanes that device and slot support (NVML).</source>
        <translation>设备和插槽支持的 PCIe 通道数（NVML）。</translation>
    </message>
    <message>
        <source>PCIe packets sent again (NVML).</source>
        <translation>重发的 PCIe 报文（NVML）。</translation>
    </message>
    <message>
        <source>PCIe receive</source>
        <translation>PCIe 接收</translation>
    </message>
    <message>
        <source>PCIe receive, sampled</source>
        <translation>PCIe 接收（采样）</translation>
    </message>
    <message>
        <source>PCIe replays</source>
        <translation>PCIe 重传</translation>
    </message>
    <message>
        <source>PCIe transmit</source>
        <translation>PCIe 发送</translation>
    </message>
    <message>
        <source>PCIe transmit, sampled</source>
        <translation>PCIe 发送（采样）</translation>
    </message>
    <message>
        <source>PCIe width</source>
        <translation>PCIe 宽度</translation>
    </message>
    <message>
        <source>PCIe width limit</source>
        <translation>PCIe 宽度上限</translation>
    </message>
    <message>
        <source>Packets discarded because the port was down or congested.</source>
        <translation>因端口断开或拥塞而丢弃的报文。</translation>
    </message>
    <message>
        <source>Packets dropped by an interface since boot (/proc/net/dev).</source>
        <translation>自启动以来接口丢弃的报文（/proc/net/dev）。</translation>
    </message>
    <message>
        <source>Packets received</source>
        <translation>收包</translation>
    </message>
    <message>
        <source>Packets received by a port per second.</source>
        <translation>端口每秒接收的报文。</translation>
    </message>
    <message>
        <source>Packets received by an RDMA port per second.</source>
        <translation>RDMA 端口每秒接收的报文。</translation>
    </message>
    <message>
        <source>Packets received with errors.</source>
        <translation>接收的出错报文。</translation>
    </message>
    <message>
        <source>Packets sent</source>
        <translation>发包</translation>
    </message>
    <message>
        <source>Packets sent by a port per second.</source>
        <translation>端口每秒发送的报文。</translation>
    </message>
    <message>
        <source>Packets sent by an RDMA port per second.</source>
        <translation>RDMA 端口每秒发送的报文。</translation>
    </message>
    <message>
        <source>Packets that a congested switch had marked (RoCE).</source>
        <translation>被拥塞交换机标记的报文（RoCE）。</translation>
    </message>
    <message>
        <source>Packets that came out of order or after a loss.</source>
        <translation>乱序或丢失后到达的报文。</translation>
    </message>
    <message>
        <source>Packets that met no receive buffer.</source>
        <translation>没有接收缓冲的报文。</translation>
    </message>
    <message>
        <source>Packets that the adapter discarded instead of sending them (ethtool).</source>
        <translation>网卡未发送而丢弃的报文（ethtool）。</translation>
    </message>
    <message>
        <source>Packets that the adapter received and discarded (ethtool).</source>
        <translation>网卡接收后丢弃的报文（ethtool）。</translation>
    </message>
    <message>
        <source>Packets that the other end had marked bad.</source>
        <translation>被对端标记为坏的报文。</translation>
    </message>
    <message>
        <source>Packets that were not allowed in.</source>
        <translation>不允许进入的报文。</translation>
    </message>
    <message>
        <source>Packets that were not allowed out.</source>
        <translation>不允许发出的报文。</translation>
    </message>
    <message>
        <source>Packets with a wrong invariant checksum.</source>
        <translation>不变校验和错误的报文。</translation>
    </message>
    <message>
        <source>Page faults of a trainer that read from disk (/proc/PID/stat).</source>
        <translation>训练进程读盘的缺页（/proc/PID/stat）。</translation>
    </message>
    <message>
        <source>Page faults served with a transparent huge page (/proc/vmstat).</source>
        <translation>由透明大页满足的缺页（/proc/vmstat）。</translation>
    </message>
    <message>
        <source>Page faults that found no huge page (/proc/vmstat).</source>
        <translation>没有可用大页的缺页（/proc/vmstat）。</translation>
    </message>
    <message>
        <source>Page faults that had to read from disk (/proc/vmstat).</source>
        <translation>需要读盘的缺页（/proc/vmstat）。</translation>
    </message>
    <message>
        <source>Pages of a table are damaged, so that retention can neither read nor delete some of its rows. They stay; all others are deleted as configured. The detail names the series or rows. Run `runglassctl verify`, then `runglassctl repair`.</source>
        <translation>一张表的页面损坏，保留策略无法读取或删除其部分行。这些行保留；其他按配置删除。详情说明序列或行。请运行 `runglassctl verify`，然后运行 `runglassctl repair`。</translation>
    </message>
    <message>
        <source>Parts of the agent&apos;s spool were damaged, or its end was unfinished, as after a kill or power cut. They are left out, all other batches are delivered. A damaged file is kept in the spool as segment-*.rgs.corrupt; the detail names them.</source>
        <translation>agent 的 spool 有部分损坏，或其末尾未写完，例如被杀死或断电之后。这些已略去，其他批次均已送达。损坏的文件保存在 spool 中，名为 segment-*.rgs.corrupt；详情给出其名称。</translation>
    </message>
    <message>
        <source>Parts of the data are no objects of the Kubernetes API, or a fault in a ConfigMap is no JSON; they were skipped. The detail has the first reason.</source>
        <translation>部分数据不是 Kubernetes API 的对象，或 ConfigMap 中的故障不是 JSON；已跳过。详情给出第一个原因。</translation>
    </message>
    <message>
        <source>Parts of the journal were unreadable; all other records were replayed. store.batches_lost counts what is missing. The file as it was is kept beside the store: check the disk.</source>
        <translation>日志的部分内容不可读；其他记录均已重放。store.batches_lost 统计缺失的内容。原文件保存在 store 旁：请检查磁盘。</translation>
    </message>
    <message>
        <source>Pause frames received, by priority: the switch held this node back (ethtool).</source>
        <translation>按优先级接收的 pause 帧：交换机压制了此节点（ethtool）。</translation>
    </message>
    <message>
        <source>Pause frames sent, by priority: this node held the switch back (ethtool).</source>
        <translation>按优先级发送的 pause 帧：此节点压制了交换机（ethtool）。</translation>
    </message>
    <message>
        <source>Pauses received</source>
        <translation>收到的 pause 帧</translation>
    </message>
    <message>
        <source>Pauses sent</source>
        <translation>发出的 pause 帧</translation>
    </message>
    <message>
        <source>Performance state</source>
        <translation>性能状态</translation>
    </message>
    <message>
        <source>Port receive discards</source>
        <translation>端口接收丢弃</translation>
    </message>
    <message>
        <source>Port transmit discards</source>
        <translation>端口发送丢弃</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>Power limit</source>
        <translation>功率上限</translation>
    </message>
    <message>
        <source>Power limit asked for</source>
        <translation>请求的功率上限</translation>
    </message>
    <message>
        <source>Power of the whole machine, as its meter or controller reads it.</source>
        <translation>整机功率，由电表或控制器读取。</translation>
    </message>
    <message>
        <source>Power refresh</source>
        <translation>功率刷新间隔</translation>
    </message>
    <message>
        <source>Power supply</source>
        <translation>电源</translation>
    </message>
    <message>
        <source>Power violation</source>
        <translation>功率受限时间</translation>
    </message>
    <message>
        <source>Power, averaged</source>
        <translation>平均功率</translation>
    </message>
    <message>
        <source>Power, instant</source>
        <translation>瞬时功率</translation>
    </message>
    <message>
        <source>Preempted or ended by the scheduler</source>
        <translation>被调度器抢占或结束</translation>
    </message>
    <message>
        <source>Preemptions</source>
        <translation>抢占</translation>
    </message>
    <message>
        <source>Prefix hits</source>
        <translation>前缀命中</translation>
    </message>
    <message>
        <source>Prefix hits on CPU</source>
        <translation>CPU 前缀命中</translation>
    </message>
    <message>
        <source>Prefix look-ups</source>
        <translation>前缀查询</translation>
    </message>
    <message>
        <source>Prefix look-ups on CPU</source>
        <translation>CPU 前缀查询</translation>
    </message>
    <message>
        <source>Process CPU</source>
        <translation>进程 CPU</translation>
    </message>
    <message>
        <source>Process GPU busy</source>
        <translation>进程 GPU 忙碌</translation>
    </message>
    <message>
        <source>Process GPU memory</source>
        <translation>进程显存</translation>
    </message>
    <message>
        <source>Process major faults</source>
        <translation>进程主缺页</translation>
    </message>
    <message>
        <source>Process memory</source>
        <translation>进程内存</translation>
    </message>
    <message>
        <source>Process memory busy</source>
        <translation>进程显存忙碌</translation>
    </message>
    <message>
        <source>Process threads</source>
        <translation>进程线程数</translation>
    </message>
    <message>
        <source>Processes killed for lack of memory (/proc/vmstat).</source>
        <translation>因内存不足被杀的进程（/proc/vmstat）。</translation>
    </message>
    <message>
        <source>Processes on the node that have a rank in their environment.</source>
        <translation>节点上环境中带 rank 的进程。</translation>
    </message>
    <message>
        <source>Prometheus has no metrics of this node in the window: it is not scraped, or under another name. The detail has the node.</source>
        <translation>Prometheus 在该时间窗内没有此节点的指标：它未被抓取，或名称不同。详情给出节点。</translation>
    </message>
    <message>
        <source>Protected memory</source>
        <translation>受保护显存</translation>
    </message>
    <message>
        <source>Proxy traces and other records are counted; only collectives and point-to-point operations are kept.</source>
        <translation>代理 trace 和其他记录只计数；仅保留集合通信和点对点操作。</translation>
    </message>
    <message>
        <source>PyTorch&apos;s watchdog itself does not move</source>
        <translation>PyTorch watchdog 自身停滞</translation>
    </message>
    <message>
        <source>RDMA ECN marks</source>
        <translation>RDMA ECN 标记</translation>
    </message>
    <message>
        <source>RDMA acknowledge time-outs</source>
        <translation>RDMA ACK 超时</translation>
    </message>
    <message>
        <source>RDMA adaptive retransmissions</source>
        <translation>RDMA 自适应重传</translation>
    </message>
    <message>
        <source>RDMA adaptive time-outs</source>
        <translation>RDMA 自适应超时</translation>
    </message>
    <message>
        <source>RDMA buffer overruns</source>
        <translation>RDMA 缓冲区溢出</translation>
    </message>
    <message>
        <source>RDMA checksum errors</source>
        <translation>RDMA 校验错误</translation>
    </message>
    <message>
        <source>RDMA congestion ignored</source>
        <translation>RDMA 忽略的拥塞通知</translation>
    </message>
    <message>
        <source>RDMA congestion obeyed</source>
        <translation>RDMA 响应的拥塞通知</translation>
    </message>
    <message>
        <source>RDMA congestion sent</source>
        <translation>RDMA 发出的拥塞通知</translation>
    </message>
    <message>
        <source>RDMA discards</source>
        <translation>RDMA 丢弃</translation>
    </message>
    <message>
        <source>RDMA duplicates</source>
        <translation>RDMA 重复请求</translation>
    </message>
    <message>
        <source>RDMA failed requests</source>
        <translation>RDMA 失败请求</translation>
    </message>
    <message>
        <source>RDMA failed responses</source>
        <translation>RDMA 失败响应</translation>
    </message>
    <message>
        <source>RDMA implied losses</source>
        <translation>RDMA 隐含丢包</translation>
    </message>
    <message>
        <source>RDMA link integrity</source>
        <translation>RDMA 链路完整性错误</translation>
    </message>
    <message>
        <source>RDMA link rate</source>
        <translation>RDMA 链路速率</translation>
    </message>
    <message>
        <source>RDMA link recoveries</source>
        <translation>RDMA 链路恢复</translation>
    </message>
    <message>
        <source>RDMA links lost</source>
        <translation>RDMA 链路丢失</translation>
    </message>
    <message>
        <source>RDMA local access error</source>
        <translation>RDMA 本地访问错误</translation>
    </message>
    <message>
        <source>RDMA local length error</source>
        <translation>RDMA 本地长度错误</translation>
    </message>
    <message>
        <source>RDMA local protection error</source>
        <translation>RDMA 本地保护错误</translation>
    </message>
    <message>
        <source>RDMA local queue pair operation error</source>
        <translation>RDMA 本地 QP 操作错误</translation>
    </message>
    <message>
        <source>RDMA out of buffer</source>
        <translation>RDMA 无接收缓冲</translation>
    </message>
    <message>
        <source>RDMA out of sequence</source>
        <translation>RDMA 乱序</translation>
    </message>
    <message>
        <source>RDMA packets received</source>
        <translation>RDMA 收包</translation>
    </message>
    <message>
        <source>RDMA packets sent</source>
        <translation>RDMA 发包</translation>
    </message>
    <message>
        <source>RDMA port active</source>
        <translation>RDMA 端口激活</translation>
    </message>
    <message>
        <source>RDMA receive</source>
        <translation>RDMA 接收</translation>
    </message>
    <message>
        <source>RDMA receive constraints</source>
        <translation>RDMA 接收约束错误</translation>
    </message>
    <message>
        <source>RDMA receive errors</source>
        <translation>RDMA 接收错误</translation>
    </message>
    <message>
        <source>RDMA receiver not ready</source>
        <translation>RDMA 接收方未就绪</translation>
    </message>
    <message>
        <source>RDMA receiver-not-ready retries exceeded</source>
        <translation>RDMA RNR 重试超限</translation>
    </message>
    <message>
        <source>RDMA remote access error</source>
        <translation>RDMA 远端访问错误</translation>
    </message>
    <message>
        <source>RDMA remote errors</source>
        <translation>RDMA 远端错误</translation>
    </message>
    <message>
        <source>RDMA remote invalid request</source>
        <translation>RDMA 远端无效请求</translation>
    </message>
    <message>
        <source>RDMA remote operation error</source>
        <translation>RDMA 远端操作错误</translation>
    </message>
    <message>
        <source>RDMA request was flushed</source>
        <translation>RDMA 请求被清空</translation>
    </message>
    <message>
        <source>RDMA retries exceeded: the peer&apos;s adapter did not answer</source>
        <translation>RDMA 重试超限：对端网卡无响应</translation>
    </message>
    <message>
        <source>RDMA sequence errors</source>
        <translation>RDMA 序号错误</translation>
    </message>
    <message>
        <source>RDMA slow restarts</source>
        <translation>RDMA 慢启动重启</translation>
    </message>
    <message>
        <source>RDMA symbol errors</source>
        <translation>RDMA 符号错误</translation>
    </message>
    <message>
        <source>RDMA traffic fell to less than half</source>
        <translation>RDMA 流量降至一半以下</translation>
    </message>
    <message>
        <source>RDMA traffic is as before</source>
        <translation>RDMA 流量恢复如前</translation>
    </message>
    <message>
        <source>RDMA traffic that steps used to have has stopped</source>
        <translation>步内原有的 RDMA 流量已停止</translation>
    </message>
    <message>
        <source>RDMA transmit</source>
        <translation>RDMA 发送</translation>
    </message>
    <message>
        <source>RDMA transmit constraints</source>
        <translation>RDMA 发送约束错误</translation>
    </message>
    <message>
        <source>RDMA transmit wait</source>
        <translation>RDMA 发送等待</translation>
    </message>
    <message>
        <source>Raise num_workers and prefetch_factor, and set pin_memory</source>
        <translation>提高 num_workers 与 prefetch_factor，并设置 pin_memory</translation>
    </message>
    <message>
        <source>Raise the power limit (nvidia-smi -pl) where the site allows it</source>
        <translation>在站点允许时提高功率上限（nvidia-smi -pl）</translation>
    </message>
    <message>
        <source>Read its text; an error of the same rank usually follows.</source>
        <translation>阅读其文本；通常随后有同一 rank 的错误。</translation>
    </message>
    <message>
        <source>Reasons for lower clocks as bits (NVML): 0x8 hardware slowdown, 0x20 and 0x40 thermal, 0x80 power brake, 0x4 power cap.</source>
        <translation>降频原因的位掩码（NVML）：0x8 硬件降频，0x20 与 0x40 温度，0x80 power brake，0x4 功率上限。</translation>
    </message>
    <message>
        <source>Receive and transmit errors of an interface since boot (/proc/net/dev).</source>
        <translation>自启动以来接口的收发错误（/proc/net/dev）。</translation>
    </message>
    <message>
        <source>Records do not name their device, where the layout expects it; they are left out.</source>
        <translation>记录没有在布局要求的位置给出设备；已略去。</translation>
    </message>
    <message>
        <source>Records have more or fewer fields than the header; they are left out. Texts with separators in them must be quoted.</source>
        <translation>记录的字段多于或少于表头；已略去。含分隔符的文本须加引号。</translation>
    </message>
    <message>
        <source>Records of an NCCL Inspector log do not name their communicator: since format v4.3 it is in the dump_stats line before them, which was cut away or filtered out. They are left out.</source>
        <translation>NCCL Inspector 日志的记录没有给出通信器：自 v4.3 格式起，它在之前的 dump_stats 行中，该行被截断或过滤掉了。这些记录已略去。</translation>
    </message>
    <message>
        <source>Records of more than 16 MiB (graphs, media) hold no scalars and were passed over.</source>
        <translation>超过 16 MiB 的记录（graph、媒体）不含标量，已跳过。</translation>
    </message>
    <message>
        <source>Records refer to series or nodes that were never defined and are not stored: the agent is broken or damaged data was sent.</source>
        <translation>记录引用了从未定义的序列或节点，未存储：agent 出错或发送了损坏的数据。</translation>
    </message>
    <message>
        <source>Records whose time cannot be read are left out; the detail shows the first one.</source>
        <translation>无法读取时间的记录已略去；详情给出第一个。</translation>
    </message>
    <message>
        <source>Recovery action</source>
        <translation>恢复动作</translation>
    </message>
    <message>
        <source>Reliability violation</source>
        <translation>可靠性违规</translation>
    </message>
    <message>
        <source>Remapping resources are exhausted or the InfoROM could not be written: candidate for replacement.</source>
        <translation>重映射资源耗尽或 InfoROM 无法写入：考虑更换。</translation>
    </message>
    <message>
        <source>Remove .item(), .cpu() and synchronize() calls from the step</source>
        <translation>从步中移除 .item()、.cpu() 与 synchronize() 调用</translation>
    </message>
    <message>
        <source>Replays on all NVLinks (NVML).</source>
        <translation>所有 NVLink 的重放次数（NVML）。</translation>
    </message>
    <message>
        <source>Requests in the running batch.</source>
        <translation>运行批次中的请求。</translation>
    </message>
    <message>
        <source>Requests put back for lack of KV cache.</source>
        <translation>因缺少 KV cache 被退回的请求。</translation>
    </message>
    <message>
        <source>Requests running</source>
        <translation>运行中请求</translation>
    </message>
    <message>
        <source>Requests that came twice: the sender retried.</source>
        <translation>收到两次的请求：发送方重试。</translation>
    </message>
    <message>
        <source>Requests that completed with an error.</source>
        <translation>以错误完成的请求。</translation>
    </message>
    <message>
        <source>Requests that wait for a place in the batch.</source>
        <translation>等待进入批次的请求。</translation>
    </message>
    <message>
        <source>Requests waiting</source>
        <translation>等待中请求</translation>
    </message>
    <message>
        <source>Reset at the next maintenance; watch the count.</source>
        <translation>下次维护时重置；关注计数。</translation>
    </message>
    <message>
        <source>Reset the GPU when idle.</source>
        <translation>空闲时重置 GPU。</translation>
    </message>
    <message>
        <source>Reset when idle.</source>
        <translation>空闲时重置。</translation>
    </message>
    <message>
        <source>Resident memory of a trainer process (/proc/PID/stat).</source>
        <translation>训练进程的常驻内存（/proc/PID/stat）。</translation>
    </message>
    <message>
        <source>Resident warps per maximum warps (GPM).</source>
        <translation>驻留 warp 与最大 warp 之比（GPM）。</translation>
    </message>
    <message>
        <source>Responses that completed with an error.</source>
        <translation>以错误完成的响应。</translation>
    </message>
    <message>
        <source>Restart the job.</source>
        <translation>重启作业。</translation>
    </message>
    <message>
        <source>Restart the job; suspect PCIe if it repeats.</source>
        <translation>重启作业；若反复出现，怀疑 PCIe。</translation>
    </message>
    <message>
        <source>Retries because the receiver had posted nothing.</source>
        <translation>因接收方未提交缓冲而重试。</translation>
    </message>
    <message>
        <source>Row remap failed</source>
        <translation>行重映射失败</translation>
    </message>
    <message>
        <source>Row remap pending</source>
        <translation>行重映射待生效</translation>
    </message>
    <message>
        <source>Rows do not name their GPU, so that all are kept as one device. Query index or uuid as well.</source>
        <translation>行中没有给出 GPU，因此全部作为一个设备保留。请同时查询 index 或 uuid。</translation>
    </message>
    <message>
        <source>Rows have more or fewer fields than their header, as when two programs write into one file or a line was cut; they are left out.</source>
        <translation>行的字段多于或少于表头，例如两个程序写入同一文件或某行被截断；已略去。</translation>
    </message>
    <message>
        <source>Rows of a report whose begin or end is no whole number of ns, whose end comes before their begin, or beyond 64 bits, are left out.</source>
        <translation>报告中开始或结束不是整数纳秒、结束早于开始或超出 64 位的行已略去。</translation>
    </message>
    <message>
        <source>Rows remapped (corrected)</source>
        <translation>已重映射行（可纠正）</translation>
    </message>
    <message>
        <source>Rows remapped (uncorrected)</source>
        <translation>已重映射行（不可纠正）</translation>
    </message>
    <message>
        <source>Rows with more or fewer fields than their header are left out.</source>
        <translation>字段数多于或少于表头的行被略去。</translation>
    </message>
    <message>
        <source>Rows without a readable time are left out: none is invented. Query the column timestamp; run dmon and pmon with -o DT.</source>
        <translation>没有可读时间的行被略去：不会编造时间。请查询 timestamp 列；运行 dmon 和 pmon 时加 -o DT。</translation>
    </message>
    <message>
        <source>Run delay</source>
        <translation>调度延迟</translation>
    </message>
    <message>
        <source>Runnable and uninterruptible tasks, one-minute average (/proc/loadavg).</source>
        <translation>可运行与不可中断任务数，一分钟平均（/proc/loadavg）。</translation>
    </message>
    <message>
        <source>SM active</source>
        <translation>SM 活跃</translation>
    </message>
    <message>
        <source>SM clock</source>
        <translation>SM 频率</translation>
    </message>
    <message>
        <source>SM clock limit</source>
        <translation>SM 频率上限</translation>
    </message>
    <message>
        <source>SM occupancy</source>
        <translation>SM 占用率</translation>
    </message>
    <message>
        <source>SSD</source>
        <translation>SSD</translation>
    </message>
    <message>
        <source>Samples of an answer whose time or value is no number are left out.</source>
        <translation>答复中时间或数值不是数字的样本被略去。</translation>
    </message>
    <message>
        <source>Samples that say they are more than five minutes ahead of the hub&apos;s clock; the time of the scrape counts instead.</source>
        <translation>样本自称比 hub 的时钟快五分钟以上；以抓取时间为准。</translation>
    </message>
    <message>
        <source>Samples with more than 64 labels, 4 KiB of them, or a name of more than 200 bytes are refused.</source>
        <translation>标签超过 64 个或 4 KiB、或名称超过 200 字节的样本被拒绝。</translation>
    </message>
    <message>
        <source>Samples without a time, as an exporter&apos;s page has them. None is invented: the run has no clock, and the n-th sample of a series stands at step n.</source>
        <translation>没有时间的样本，与导出器页面上的一样。不虚构时间：该运行没有时钟，序列的第 n 个样本位于第 n 步。</translation>
    </message>
    <message>
        <source>Samples without a valid time, or more than ten minutes ahead of the hub&apos;s clock, are refused.</source>
        <translation>没有有效时间，或比 hub 的时钟超前十分钟以上的样本被拒绝。</translation>
    </message>
    <message>
        <source>Save asynchronously or less often</source>
        <translation>改为异步保存或降低频率</translation>
    </message>
    <message>
        <source>Scalars of ranks are older than their retention, or the store reached its cap: of each 16 steps one stays, with outliers and the summaries of all. Losses and other scalars of the whole run are kept. The relation thinned_series names the series.</source>
        <translation>各 rank 的标量早于其保留期，或 store 已达上限：每 16 步保留一步，连同离群值和全部的摘要。loss 及整个运行的其他标量保留。关系 thinned_series 列出这些序列。</translation>
    </message>
    <message>
        <source>Scrapes that brought nothing: no connection, no answer in time, or an answer that is no metrics; the reason is in the detail. Nothing is stored for them: the curves have a gap.</source>
        <translation>没有带回内容的抓取：没有连接、没有及时应答，或应答不是指标；原因见详情。不为其存储任何内容：曲线有空洞。</translation>
    </message>
    <message>
        <source>See the vendor&apos;s Xid catalogue for this code.</source>
        <translation>请查阅厂商的 Xid 目录。</translation>
    </message>
    <message>
        <source>Series that name no machine, neither by Hostname nor by instance, are left out. Keep these labels when metrics are relabelled.</source>
        <translation>既无 Hostname 又无 instance 指明机器的序列被略去。重写指标标签时请保留这些标签。</translation>
    </message>
    <message>
        <source>Series without the label __name__, and OTLP metrics without a name, are refused.</source>
        <translation>没有 __name__ 标签的序列以及没有名称的 OTLP 指标被拒绝。</translation>
    </message>
    <message>
        <source>Server chassis</source>
        <translation>服务器机箱</translation>
    </message>
    <message>
        <source>Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, and call no empty_cache() in the step</source>
        <translation>设置 PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True，且步中不调用 empty_cache()</translation>
    </message>
    <message>
        <source>Set pin_memory, and copy with non_blocking=True</source>
        <translation>设置 pin_memory，并以 non_blocking=True 拷贝</translation>
    </message>
    <message>
        <source>Share of CPU time idle while a disk request was open (/proc/stat).</source>
        <translation>有磁盘请求未完成时 CPU 空闲的比例（/proc/stat）。</translation>
    </message>
    <message>
        <source>Share of CPU time not idle, all cores (/proc/stat).</source>
        <translation>所有核非空闲 CPU 时间的比例（/proc/stat）。</translation>
    </message>
    <message>
        <source>Share of CPU time that the hypervisor gave to others (/proc/stat).</source>
        <translation>虚拟机监控器让给他人的 CPU 时间比例（/proc/stat）。</translation>
    </message>
    <message>
        <source>Share of cycles in which device memory moved data (GPM).</source>
        <translation>显存传输数据的周期比例（GPM）。</translation>
    </message>
    <message>
        <source>Share of cycles in which tensor cores worked (GPM).</source>
        <translation>张量核工作的周期比例（GPM）。</translation>
    </message>
    <message>
        <source>Share of cycles in which the FP16 pipe worked (DCGM).</source>
        <translation>FP16 流水线工作的周期比例（DCGM）。</translation>
    </message>
    <message>
        <source>Share of cycles in which the FP32 pipe worked (DCGM).</source>
        <translation>FP32 流水线工作的周期占比（DCGM）。</translation>
    </message>
    <message>
        <source>Share of cycles in which the FP64 pipe worked (DCGM).</source>
        <translation>FP64 流水线工作的周期占比（DCGM）。</translation>
    </message>
    <message>
        <source>Share of one core&apos;s time not idle (/proc/stat).</source>
        <translation>单核非空闲时间的比例（/proc/stat）。</translation>
    </message>
    <message>
        <source>Share of prompt tokens found in the prefix cache.</source>
        <translation>在前缀缓存中命中的 prompt token 比例。</translation>
    </message>
    <message>
        <source>Share of streaming multiprocessors with work (GPM).</source>
        <translation>有工作的流式多处理器比例（GPM）。</translation>
    </message>
    <message>
        <source>Share of the KV cache in host memory that is in use.</source>
        <translation>主机内存中 KV cache 的使用比例。</translation>
    </message>
    <message>
        <source>Share of the KV cache that is in use.</source>
        <translation>KV cache 的使用比例。</translation>
    </message>
    <message>
        <source>Share of time in which a disk had a request open (/proc/diskstats).</source>
        <translation>磁盘有未完成请求的时间比例（/proc/diskstats）。</translation>
    </message>
    <message>
        <source>Share of time in which a kernel of one process ran (pmon).</source>
        <translation>某一进程的 kernel 运行的时间占比（pmon）。</translation>
    </message>
    <message>
        <source>Share of time in which all tasks waited for I/O (PSI).</source>
        <translation>所有任务等待 I/O 的时间比例（PSI）。</translation>
    </message>
    <message>
        <source>Share of time in which all tasks waited for a CPU (PSI).</source>
        <translation>所有任务等待 CPU 的时间比例（PSI）。</translation>
    </message>
    <message>
        <source>Share of time in which all tasks waited for memory (PSI).</source>
        <translation>所有任务等待内存的时间比例（PSI）。</translation>
    </message>
    <message>
        <source>Share of time in which device memory was read or written (NVML).</source>
        <translation>读写显存的时间比例（NVML）。</translation>
    </message>
    <message>
        <source>Share of time in which one process read or wrote device memory (pmon).</source>
        <translation>某一进程读写显存的时间占比（pmon）。</translation>
    </message>
    <message>
        <source>Share of time in which some kernel ran (NVML); 1 does not mean that the GPU works hard.</source>
        <translation>有 kernel 运行的时间比例（NVML）；1 不代表 GPU 满负荷。</translation>
    </message>
    <message>
        <source>Share of time in which some task waited for I/O (PSI).</source>
        <translation>部分任务等待 I/O 的时间比例（PSI）。</translation>
    </message>
    <message>
        <source>Share of time in which some task waited for a CPU (PSI).</source>
        <translation>部分任务等待 CPU 的时间比例（PSI）。</translation>
    </message>
    <message>
        <source>Share of time in which some task waited for memory (PSI).</source>
        <translation>部分任务等待内存的时间比例（PSI）。</translation>
    </message>
    <message>
        <source>Share of time in which the JPEG engine worked.</source>
        <translation>JPEG 引擎工作的时间比例。</translation>
    </message>
    <message>
        <source>Share of time in which the compute engine was active (GPM).</source>
        <translation>计算引擎活跃的时间比例（GPM）。</translation>
    </message>
    <message>
        <source>Share of time in which the optical flow engine worked.</source>
        <translation>光流引擎工作的时间比例。</translation>
    </message>
    <message>
        <source>Share of time in which the video decoder worked.</source>
        <translation>视频解码器工作的时间比例。</translation>
    </message>
    <message>
        <source>Share of time in which the video encoder worked.</source>
        <translation>视频编码器工作的时间比例。</translation>
    </message>
    <message>
        <source>Share of time throttled by the power limit (dmon).</source>
        <translation>被功率上限限制的时间比例（dmon）。</translation>
    </message>
    <message>
        <source>Shared file system slow or away</source>
        <translation>共享文件系统缓慢或不可用</translation>
    </message>
    <message>
        <source>Silent data corruption in a GPU</source>
        <translation>GPU 静默数据损坏</translation>
    </message>
    <message>
        <source>Size of a mounted file system (statvfs).</source>
        <translation>挂载文件系统的容量（statvfs）。</translation>
    </message>
    <message>
        <source>Size per time of collectives (NCCL Inspector).</source>
        <translation>集合通信的数据量除以时间（NCCL Inspector）。</translation>
    </message>
    <message>
        <source>Slow restarts after a loss (RoCE).</source>
        <translation>丢包后的慢启动（RoCE）。</translation>
    </message>
    <message>
        <source>Slowdown limit</source>
        <translation>降频温度</translation>
    </message>
    <message>
        <source>Software bug</source>
        <translation>软件缺陷</translation>
    </message>
    <message>
        <source>Some GPU operations could not be timed: their stream belongs to another context than the thread&apos;s, or is gone.</source>
        <translation>部分 GPU 操作无法计时：其 stream 属于与线程不同的 context，或已不存在。</translation>
    </message>
    <message>
        <source>Something else running on a host</source>
        <translation>主机上的其他程序</translation>
    </message>
    <message>
        <source>Something that the hub itself was to record, such as a note or a scraped sample, could not be recorded; the reason is in the detail.</source>
        <translation>hub 自身要记录的内容（例如备注或抓取的样本）无法记录；原因见详情。</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空间</translation>
    </message>
    <message>
        <source>Space on a mount that an ordinary user can still write (statvfs).</source>
        <translation>普通用户仍可写入的挂载空间（statvfs）。</translation>
    </message>
    <message>
        <source>Spans and log lines of more than a day before the first request of their sender, or of a time of which more are stored than are compared, are refused: they may be stored already.</source>
        <translation>比其发送方首个请求早一天以上的 span 和日志行，或其时段内已存储的数量超出比较上限的，会被拒绝：它们可能已存储。</translation>
    </message>
    <message>
        <source>Spans of one track and depth overlapped, so that they do not fit one row. They are kept whole, on overflow lanes below the others.</source>
        <translation>同一 track 同一深度的 span 重叠，一行放不下。它们完整保留在其他行下方的溢出行。</translation>
    </message>
    <message>
        <source>Spans that end before they begin, or whose end is missing or beyond 64 bits. They are kept where they begin, with no length: sums of durations lack what they would have added or taken away.</source>
        <translation>span 的结束早于开始，或结束缺失或超出 64 位。它们保留在开始处，没有时长：时长之和缺少其应增减的部分。</translation>
    </message>
    <message>
        <source>Spans whose begin or end is no whole number, or whose end is before their begin, are left out.</source>
        <translation>起止不是整数，或结束早于开始的 span 被略去。</translation>
    </message>
    <message>
        <source>Speed of the fan as a share of its highest (NVML, DCGM).</source>
        <translation>风扇转速占其最高转速的比例（NVML、DCGM）。</translation>
    </message>
    <message>
        <source>Start fewer worker processes and threads (OMP_NUM_THREADS) per node, or pin them to cores</source>
        <translation>减少每节点的 worker 进程与线程（OMP_NUM_THREADS），或将其绑核</translation>
    </message>
    <message>
        <source>Steal</source>
        <translation>Steal 时间</translation>
    </message>
    <message>
        <source>Step times of all ranks</source>
        <translation>所有 rank 的步耗时</translation>
    </message>
    <message>
        <source>Suspect a bad pointer in the application first; the hardware if one GPU alone repeats it.</source>
        <translation>先怀疑应用中的错误指针；若只有一个 GPU 反复出现，则怀疑硬件。</translation>
    </message>
    <message>
        <source>Suspect the application first; the hardware if the same GPC and TPC repeat in different jobs.</source>
        <translation>先怀疑应用；若不同作业中总是同一 GPC 与 TPC，则怀疑硬件。</translation>
    </message>
    <message>
        <source>Suspect the application or the driver first; the hardware if one GPU alone repeats it.</source>
        <translation>先怀疑应用或驱动；若只有一块 GPU 重复出现，则怀疑硬件。</translation>
    </message>
    <message>
        <source>Suspect the program first (Xid 13 or 31 beside it); the GPU if one alone repeats it.</source>
        <translation>先怀疑程序（同时有 Xid 13 或 31）；若只有一个 GPU 反复出现，则怀疑 GPU。</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>Swap</translation>
    </message>
    <message>
        <source>Swap free</source>
        <translation>空闲 Swap</translation>
    </message>
    <message>
        <source>Sync boost violation</source>
        <translation>同步加速违规</translation>
    </message>
    <message>
        <source>System memory</source>
        <translation>系统内存</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Temperature at which the hardware slows the clocks (NVML).</source>
        <translation>硬件开始降频的温度（NVML）。</translation>
    </message>
    <message>
        <source>Temperature margin</source>
        <translation>温度余量</translation>
    </message>
    <message>
        <source>Temperature of the device memory (NVML field 82).</source>
        <translation>显存温度（NVML field 82）。</translation>
    </message>
    <message>
        <source>Tensor active</source>
        <translation>Tensor 活跃</translation>
    </message>
    <message>
        <source>Test failed</source>
        <translation>测试失败</translation>
    </message>
    <message>
        <source>Tested bandwidth</source>
        <translation>测试带宽</translation>
    </message>
    <message>
        <source>Tested bus bandwidth</source>
        <translation>测试总线带宽</translation>
    </message>
    <message>
        <source>Tested latency</source>
        <translation>测试延迟</translation>
    </message>
    <message>
        <source>Tested message rate</source>
        <translation>测试消息速率</translation>
    </message>
    <message>
        <source>Tested time</source>
        <translation>测试时间</translation>
    </message>
    <message>
        <source>Text inside a trace is no event. What lies between it and the next event is left out; all others are kept.</source>
        <translation>trace 中有不是事件的文本。从该处到下一事件之间的内容略去；其他均保留。</translation>
    </message>
    <message>
        <source>Text inside a trace is no event: some PyTorch versions wrote names with raw quotes. What lies between it and the next event is left out; all others are kept.</source>
        <translation>trace 中有不是事件的文本：某些 PyTorch 版本写入的名称带未转义的引号。从该处到下一事件之间的内容略去；其他均保留。</translation>
    </message>
    <message>
        <source>That peer&apos;s process ended, as at the end of every job; else look for the first rank that failed.</source>
        <translation>该对端进程已结束，作业正常结束时也会如此；否则查找最先失败的 rank。</translation>
    </message>
    <message>
        <source>The CUDA driver refused the tracer&apos;s events, as it does after a GPU fault: from here on this process has no GPU spans. Look for the fault itself in the log and in the device&apos;s Xid events.</source>
        <translation>CUDA 驱动拒绝了 tracer 的 event，GPU 故障后会如此：此后该进程没有 GPU span。请在日志和设备的 Xid 事件中查找故障本身。</translation>
    </message>
    <message>
        <source>The NCCL WARN line before it names it: sockets and verbs mean a network fault or a peer that is gone; shared memory means a small /dev/shm.</source>
        <translation>其之前的 NCCL WARN 行有说明：socket 与 verbs 表示网络故障或对端失联；共享内存表示 /dev/shm 太小。</translation>
    </message>
    <message>
        <source>The YAML file with a job&apos;s sizes holds lines that are no `key: value`, keys that come twice or sizes that are no numbers from 1. The other lines hold.</source>
        <translation>含作业大小的 YAML 文件中有不是 `key: value` 的行、重复的键或不是从 1 起的数字的大小。其他行有效。</translation>
    </message>
    <message>
        <source>The agent ended without a goodbye (killed, crash, power). Up to a second of data before that may be missing between the two times.</source>
        <translation>agent 未告别就结束（被杀死、崩溃、断电）。此前至多一秒的数据可能在两个时间之间缺失。</translation>
    </message>
    <message>
        <source>The agent&apos;s uuid was in use by another node, so it took a new one: the state directory was copied. What waited in a copied spool may be stored twice: leave the state directory out of images.</source>
        <translation>agent 的 uuid 已被另一节点使用，因此换了新的：状态目录被复制。复制的 spool 中等待的内容可能存储两次：请不要把状态目录放入镜像。</translation>
    </message>
    <message>
        <source>The application failed; the GPU is still healthy.</source>
        <translation>应用失败；GPU 仍然健康。</translation>
    </message>
    <message>
        <source>The driver of a network interface has more than 65,536 counters of its own; its pauses and discards are not recorded.</source>
        <translation>网络接口的驱动有超过 65,536 个自己的计数器；其 pause 和丢弃未记录。</translation>
    </message>
    <message>
        <source>The file ends in the middle of a record: it was cut off or is still being written. Everything before is imported; import it again when it has grown.</source>
        <translation>文件在一条记录中间结束：被截断或仍在写入。此前的均已导入；增长后请再次导入。</translation>
    </message>
    <message>
        <source>The file has more devices or series than are read; those beyond are left out.</source>
        <translation>文件中的设备或序列多于可读取的数量；其余被略去。</translation>
    </message>
    <message>
        <source>The file has more devices, fields or series than are read; those beyond are left out.</source>
        <translation>文件中的设备、字段或序列多于可读取的数量；超出的已略去。</translation>
    </message>
    <message>
        <source>The file has more series or events than are read; those beyond are left out.</source>
        <translation>文件中的序列或事件多于可读取的数量；超出的已略去。</translation>
    </message>
    <message>
        <source>The file holds more than 4,096 names of values, or 10,000 begins without their ends; what is beyond is left out.</source>
        <translation>文件中有超过 4,096 个值名，或 10,000 个没有结束的开始；超出的已略去。</translation>
    </message>
    <message>
        <source>The file holds more than 65,536 series, or more than a million samples without a time; those beyond are left out.</source>
        <translation>文件中有超过 65,536 个序列，或超过一百万个没有时间的样本；超出的已略去。</translation>
    </message>
    <message>
        <source>The file holds more than a million different tags; points of those beyond were not stored. Keep step numbers and addresses out of tags.</source>
        <translation>文件中有超过一百万个不同的 tag；超出的点未存储。tag 中不要含步号和地址。</translation>
    </message>
    <message>
        <source>The file is damaged where a series or track lies, so that it takes no further data. What is recorded from then on is in another one, whose labels or name say &quot;after damage&quot;. Run `runglassctl verify`, then restore or repair the file.</source>
        <translation>文件在某个序列或 track 处损坏，无法再写入数据。此后的数据写入另一个序列，其标签或名称含 &quot;after damage&quot;。请运行 `runglassctl verify`，然后恢复或修复文件。</translation>
    </message>
    <message>
        <source>The file is of no kind that can be imported; docs/ lists the kinds. Nothing of it was read.</source>
        <translation>该文件不是可导入的类型；docs/ 列出了各类型。未读取任何内容。</translation>
    </message>
    <message>
        <source>The file refused rows of a table: they break one of its rules, or a page is damaged. They are kept as SQL in the store&apos;s -ingest.bad file up to its size limit (64 MiB); all else was stored. Run `runglassctl verify`.</source>
        <translation>文件拒绝了某张表的行：违反了其规则，或页面损坏。它们以 SQL 形式保存在 store 的 -ingest.bad 文件中，至其大小上限（64 MiB）；其余均已存储。请运行 `runglassctl verify`。</translation>
    </message>
    <message>
        <source>The file that holds a trainer&apos;s last seconds of GPU work makes no sense and was not read; the fault is in the detail.</source>
        <translation>保存 trainer 最后几秒 GPU 工作的文件内容不合理，未读取；错误见详情。</translation>
    </message>
    <message>
        <source>The heartbeat of the dead man&apos;s switch cannot be sent; the reason is in the detail. Data is stored all the same, unless the detail says otherwise.</source>
        <translation>无法向外部监控发送心跳（dead man&apos;s switch）；原因见详情。数据仍会存储，除非详情另有说明。</translation>
    </message>
    <message>
        <source>The hub could not take data, mostly because its disk was full; agents kept it in their spools and sent it again. Make room or set a size cap before the spools are full, too.</source>
        <translation>hub 无法接收数据，多数因为其磁盘已满；agent 将其保存在 spool 中并重新发送。请在 spool 也满之前腾出空间或设置大小上限。</translation>
    </message>
    <message>
        <source>The journal beside this store belongs to another store, as when a file is replaced while its journal stays. Nothing of it was replayed; it is kept beside the store.</source>
        <translation>此 store 旁的日志属于另一个 store，例如文件被替换而日志保留。其内容未重放；保存在 store 旁。</translation>
    </message>
    <message>
        <source>The journal ended in the middle of a record, as a kill or power cut leaves it. That batch was never acknowledged; its agent sends it again.</source>
        <translation>日志在一条记录中间结束，被杀死或断电会造成这种情况。该批次从未确认；其 agent 会重新发送。</translation>
    </message>
    <message>
        <source>The journal was damaged in its newest, unsynced part, as a power cut leaves it. Batches behind the damage were not replayed, so that no stream has a hole: agents that still have them in their spools send them again, from the damage on.</source>
        <translation>日志最新的、未同步的部分损坏，断电会造成这种情况。损坏之后的批次未重放，使流中没有空洞：spool 中仍有它们的 agent 会从损坏处起重新发送。</translation>
    </message>
    <message>
        <source>The kernel wrote faster than the agent read: its ring buffer overwrote records that were never seen. Enlarge it with log_buf_len= on the kernel&apos;s command line.</source>
        <translation>内核写入快于 agent 读取：其环形缓冲覆盖了从未看到的记录。请在内核命令行用 log_buf_len= 增大。</translation>
    </message>
    <message>
        <source>The kernel&apos;s OOM killer, a time limit, or a user: look at the kernel log and host memory.</source>
        <translation>内核 OOM killer、时限或用户：查看内核日志与主机内存。</translation>
    </message>
    <message>
        <source>The killed process may be a rank or its data loader: look at host memory before it.</source>
        <translation>被杀进程可能是 rank 或其 data loader：查看此前的主机内存。</translation>
    </message>
    <message>
        <source>The last Xid since the driver was loaded, 0 for none; it stays after the fault (dcgm-exporter).</source>
        <translation>自驱动加载以来的最后一个 Xid，0 为无；故障后保留（dcgm-exporter）。</translation>
    </message>
    <message>
        <source>The last line has no end. It is imported; if the file was cut just there, its last number may lack digits.</source>
        <translation>最后一行没有结束。已导入；若文件恰在此处被截断，其最后一个数字可能缺位。</translation>
    </message>
    <message>
        <source>The last seconds of GPU work were to be kept, and shared memory has no room for them. Make /dev/shm larger or set RUNGLASS_CUDA_RECENT_BYTES.</source>
        <translation>要保留最后几秒的 GPU 工作，但共享内存没有空间。请增大 /dev/shm 或设置 RUNGLASS_CUDA_RECENT_BYTES。</translation>
    </message>
    <message>
        <source>The launcher ends all ranks after the first failure: look for that one.</source>
        <translation>启动器在首个失败后结束所有 rank：查找那个 rank。</translation>
    </message>
    <message>
        <source>The limit that was asked for; the enforced one may be lower (nvidia-smi).</source>
        <translation>请求的上限；生效的可能更低（nvidia-smi）。</translation>
    </message>
    <message>
        <source>The log has more faults than are kept: a file&apos;s first 100,000, or 2,000 at once and 50 a second on a live node. The others are counted here; the original log has them.</source>
        <translation>日志中的故障多于保留的数量：文件的前 100,000 个，或活动节点上一次 2,000 个及每秒 50 个。其他的在此计数；原日志中有。</translation>
    </message>
    <message>
        <source>The log holds more lines than are kept: a file&apos;s first 50,000, or 10,000 at once and 100 a second on a live node. Faults are kept apart from them; the original log has all.</source>
        <translation>日志的行多于保留的数量：文件的前 50,000 行，或活动节点上一次 10,000 行及每秒 100 行。故障单独保留；原日志中有全部。</translation>
    </message>
    <message>
        <source>The log holds thousands of error lines; those beyond the limit are counted here but were not kept. The original file has them.</source>
        <translation>日志有数千行错误；超出上限的在此计数，但未保留。原文件中有。</translation>
    </message>
    <message>
        <source>The log prints times without a time zone (dmesg -T): they are taken as UTC. If the machine ran in another zone, its events are shifted by that many hours against other sources.</source>
        <translation>日志打印的时间没有时区（dmesg -T）：按 UTC 处理。若机器在其他时区，其事件相对其他来源偏移相应的小时数。</translation>
    </message>
    <message>
        <source>The log prints times without a time zone: they are taken as UTC. If the machine ran in another zone, the whole run is shifted by that many hours against other sources; steps and values are not affected.</source>
        <translation>日志打印的时间没有时区：按 UTC 处理。若机器在其他时区，整个运行相对其他来源偏移相应的小时数；步和值不受影响。</translation>
    </message>
    <message>
        <source>The log prints times without a year (classic syslog). The year is assumed: the last one in which the line is older than the file. A copy that took a new date may be a year off. Export the log with journalctl -k -o short-iso, or dmesg --time-format iso.</source>
        <translation>日志打印的时间没有年份（传统 syslog）。年份为推定：使该行早于文件的最近一年。日期被更新的副本可能差一年。请用 journalctl -k -o short-iso 或 dmesg --time-format iso 导出日志。</translation>
    </message>
    <message>
        <source>The log prints times without a year (glog). The year is assumed: that of its dated lines; without any, the last one in which the line is older than the file, so that a copy that took a new date may be a year off.</source>
        <translation>日志打印的时间没有年份（glog）。年份为推定：取其带日期的行的年份；没有时取使该行早于文件的最近一年，因此日期被更新的副本可能差一年。</translation>
    </message>
    <message>
        <source>The log seems to hold thousands of different metric names; those beyond the limit were not recorded. Restrict the rule with keep, or report the file.</source>
        <translation>日志似乎含有数千个不同的指标名；超出上限的未记录。请用 keep 限制规则，或报告该文件。</translation>
    </message>
    <message>
        <source>The node, its network or its agent: check other nodes&apos; events about it and its console.</source>
        <translation>节点、其网络或其 agent：查看其他节点关于它的事件及其控制台。</translation>
    </message>
    <message>
        <source>The node, its network or its ssh daemon: look at its console, its BMC&apos;s event log and its kernel log.</source>
        <translation>节点、其网络或其 ssh 守护进程：查看其控制台、BMC 事件日志和内核日志。</translation>
    </message>
    <message>
        <source>The peer did not post receives in time: it hangs or is overloaded.</source>
        <translation>对端未及时提交接收：它挂起或过载。</translation>
    </message>
    <message>
        <source>The peer is gone, or a link or switch between the two lost packets: look at both ends&apos; port state, link_downed and local_ack_timeout; on RoCE at PFC and ECN. Raise NCCL_IB_TIMEOUT to ride out flaps of seconds.</source>
        <translation>对端失联，或两者之间的链路或交换机丢包：查看两端的端口状态、link_downed 与 local_ack_timeout；RoCE 上查看 PFC 与 ECN。提高 NCCL_IB_TIMEOUT 可渡过数秒的抖动。</translation>
    </message>
    <message>
        <source>The peer&apos;s adapter could not finish: look at the peer.</source>
        <translation>对端网卡未能完成：查看对端。</translation>
    </message>
    <message>
        <source>The peer&apos;s process is slow or hangs.</source>
        <translation>对端进程缓慢或挂起。</translation>
    </message>
    <message>
        <source>The plugin overwrote records before it wrote them. Dump more often (NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS) or give it a larger ring (NCCL_INSPECTOR_DUMP_COLL_RING_SIZE).</source>
        <translation>插件在写出记录前就覆盖了它们。请更频繁地转储（NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS）或增大环形缓冲（NCCL_INSPECTOR_DUMP_COLL_RING_SIZE）。</translation>
    </message>
    <message>
        <source>The process that holds it (rank 0) ended or was never reached.</source>
        <translation>持有它的进程（rank 0）已结束或从未连通。</translation>
    </message>
    <message>
        <source>The query API answered with a warning; the detail shows the first one. Thanos marks partial answers so.</source>
        <translation>查询 API 的答复带有警告；详情给出第一条。Thanos 以此标记不完整的答复。</translation>
    </message>
    <message>
        <source>The query API did not answer, or refused; the detail has the reason. The time is queried again once it answers.</source>
        <translation>查询 API 没有应答或拒绝了请求；原因见详情。待其应答后会重新查询这段时间。</translation>
    </message>
    <message>
        <source>The rank with the smallest last completed work is the one the others wait for.</source>
        <translation>最后完成的工作最小的 rank 就是其他 rank 所等的。</translation>
    </message>
    <message>
        <source>The rows of an attempt could not be read, so that its series and tracks were restarted. What was recorded before is still there; run runglassctl verify.</source>
        <translation>无法读取某个 attempt 的行，因此其序列和 track 重新开始。此前记录的内容仍在；请运行 runglassctl verify。</translation>
    </message>
    <message>
        <source>The sender has as many resources, tracks or runs as one may have: spans, log lines and samples of further ones are refused. Usually an attribute of the resource holds ids or times.</source>
        <translation>该发送方的资源、轨道或运行数量已达上限：更多对象的跨度、日志行和样本被拒绝。通常是因为资源的某个属性包含 ID 或时间。</translation>
    </message>
    <message>
        <source>The sender has as many series as one may have: samples of further ones are refused, the others continue. Usually a label holds ids or times. A series without samples for a day gives its place back.</source>
        <translation>该发送方的序列数已达上限：更多序列的样本被拒绝，已有序列继续。通常是某个标签含有 id 或时间。一天没有样本的序列会让出名额。</translation>
    </message>
    <message>
        <source>The sizes of a job do not multiply to its world size, or ranks of its trace lie outside of them: the YAML file may be of another job. Both are stored as they are.</source>
        <translation>作业各大小之积不等于其 world size，或 trace 的 rank 超出其范围：YAML 文件可能属于另一个作业。两者均原样存储。</translation>
    </message>
    <message>
        <source>The source hub of this replica sent a record without its owner, such as an incident of an unknown run; it was left out.</source>
        <translation>此副本的来源 hub 发送了没有归属的记录，例如未知运行的事故；已略去。</translation>
    </message>
    <message>
        <source>The spans of a trace have more than 60,000 different names, or 16 MiB of them: its writer puts numbers into names. Those of the later spans are kept without their numbers (&quot;copy 17&quot; as &quot;copy #&quot;).</source>
        <translation>trace 的 span 有超过 60,000 个不同的名称或 16 MiB 的名称：其写入者把数字写进了名称。后面的 span 名称去掉数字（&quot;copy 17&quot; 变为 &quot;copy #&quot;）。</translation>
    </message>
    <message>
        <source>The step number goes back more than a thousand times; later values stay in the last attempt. The file may hold many runs mixed line by line: split it.</source>
        <translation>步号回退超过一千次；其后的值留在最后一个 attempt。文件可能逐行混有多个运行：请将其拆分。</translation>
    </message>
    <message>
        <source>The store held more log lines than its cap allows (20 million unless set otherwise). The oldest plain ones went, then the oldest warnings and worse; incidents&apos; ranges are kept. Events are not affected.</source>
        <translation>store 的日志行超过上限（默认 2000 万行）。先删除最旧的普通行，再删除最旧的警告及更严重的行；事故范围内的保留。事件不受影响。</translation>
    </message>
    <message>
        <source>The store holds 20,000 different issues; further ones are counted here. Mostly one broken source: look at those with the largest counts.</source>
        <translation>store 已有 20,000 个不同的问题；更多的在此计数。多数情况是一个来源出错：请查看计数最大的。</translation>
    </message>
    <message>
        <source>The store reached its cap (--max-store-gib), less the room for the next commit of its open series, and nothing more may be deleted, so that new samples, spans and plain log lines, and then scalars of ranks, are refused, and at last all data, which agents spool. Raise the cap, or delete old runs with runglassctl delete.</source>
        <translation>store 已达上限（--max-store-gib）减去其打开序列下次提交所需的空间，且没有可再删除的内容，因此拒绝新的样本、span 和普通日志行，其后拒绝各 rank 的标量，最后拒绝所有数据（由 agent 暂存到磁盘）。请提高上限，或用 runglassctl delete 删除旧运行。</translation>
    </message>
    <message>
        <source>The store that this one was exported from had damaged chunks; their data is missing here. Export again after the source was restored from a copy to get it.</source>
        <translation>导出此 store 的来源有损坏的 chunk；其数据在此缺失。从副本恢复来源后再导出可找回。</translation>
    </message>
    <message>
        <source>The store took samples more slowly than they were scraped: scrapes were left out until it caught up. Scrape more rarely.</source>
        <translation>store 接收样本慢于抓取：在其赶上之前略去了部分抓取。请降低抓取频率。</translation>
    </message>
    <message>
        <source>The target exposes more series than its most_series allows (or all targets more than two million): later ones are refused, the others continue. Usually a label holds ids or times.</source>
        <translation>目标暴露的序列多于其 most_series 允许的数量（或所有目标超过两百万）：其后的被拒绝，其他的继续。通常是某个标签含有 id 或时间。</translation>
    </message>
    <message>
        <source>The tool prints no time, and the time of the file is unknown: its values are left out, its events are recorded without a time.</source>
        <translation>该工具不打印时间，且文件时间未知：其数值被略去，其事件不带时间地记录。</translation>
    </message>
    <message>
        <source>The tool prints no time: its values have the time at which the file was last written.</source>
        <translation>该工具不打印时间：其数值使用文件最后写入的时间。</translation>
    </message>
    <message>
        <source>The trace has more threads and streams than are read; spans beyond are left out.</source>
        <translation>trace 的线程和 stream 多于可读取的数量；其余的 span 被略去。</translation>
    </message>
    <message>
        <source>The trainers of a node have more output files open than an agent tails; the others are not read. Name the important ones in [source.train_log] paths.</source>
        <translation>节点的 trainer 打开的输出文件多于 agent 跟踪的数量；其他的未读取。请在 [source.train_log] paths 中指明重要的文件。</translation>
    </message>
    <message>
        <source>The unit and its status identify the faulty end; fatal: reset the GPU. Look at the same link of the peer, cables and switch.</source>
        <translation>单元及其状态指明故障端；致命：重置 GPU。查看对端的同一链路、线缆与交换机。</translation>
    </message>
    <message>
        <source>Thermal violation</source>
        <translation>温度受限时间</translation>
    </message>
    <message>
        <source>This node&apos;s processes receive too slowly.</source>
        <translation>此节点的进程接收过慢。</translation>
    </message>
    <message>
        <source>This program does not know this code: the store was written by a newer one.</source>
        <translation>本程序不认识此代码：store 由更新的程序写入。</translation>
    </message>
    <message>
        <source>This source has nothing to read on this machine; everything else works.</source>
        <translation>此来源在此机器上没有可读取的内容；其他一切正常。</translation>
    </message>
    <message>
        <source>This store was made by `runglassctl repair` from a damaged one. The source names rows, samples or a table that could not be read and are missing here. The count is an upper bound of the rows; the detail marks an unknown number. Restore the damaged store from a backup to get them back.</source>
        <translation>此 store 由 `runglassctl repair` 从已损坏的 store 生成。来源一栏指明无法读取、因而在此缺失的行、采样或表。计数是缺失行数的上限；行数未知时在详情中标明。要找回这些数据，请从备份恢复已损坏的 store。</translation>
    </message>
    <message>
        <source>Threads of a trainer process (/proc/PID/stat).</source>
        <translation>训练进程的线程数（/proc/PID/stat）。</translation>
    </message>
    <message>
        <source>Ticks in which data waited for credits: congestion, not time.</source>
        <translation>数据等待 credit 的 tick 数：表示拥塞，不是时间。</translation>
    </message>
    <message>
        <source>Time at power limit</source>
        <translation>受功耗上限限制的时间</translation>
    </message>
    <message>
        <source>Time at thermal limit</source>
        <translation>受温度上限限制的时间</translation>
    </message>
    <message>
        <source>Time for which clocks were lowered for lack of work (DCGM).</source>
        <translation>因没有工作而压低时钟的时间（DCGM）。</translation>
    </message>
    <message>
        <source>Time for which clocks were throttled by heat (DCGM).</source>
        <translation>因温度而压低时钟的时间（DCGM）。</translation>
    </message>
    <message>
        <source>Time for which clocks were throttled by the board&apos;s limits (DCGM).</source>
        <translation>因板卡限制而压低时钟的时间（DCGM）。</translation>
    </message>
    <message>
        <source>Time for which clocks were throttled by the power limit (DCGM).</source>
        <translation>因功耗上限而压低时钟的时间（DCGM）。</translation>
    </message>
    <message>
        <source>Time for which clocks were throttled by the reliability voltage limit (DCGM).</source>
        <translation>因可靠性电压限制而压低时钟的时间（DCGM）。</translation>
    </message>
    <message>
        <source>Time for which clocks were throttled by the sync boost group (DCGM).</source>
        <translation>因同步加速组而压低时钟的时间（DCGM）。</translation>
    </message>
    <message>
        <source>Time of one collective in a test (nccl-tests).</source>
        <translation>测试中一次集合通信的时间（nccl-tests）。</translation>
    </message>
    <message>
        <source>Time since the machine booted (/proc/uptime).</source>
        <translation>自机器启动的时间（/proc/uptime）。</translation>
    </message>
    <message>
        <source>Time the trainer&apos;s main thread was ready but had no CPU (/proc/PID/schedstat).</source>
        <translation>训练主线程就绪但没有 CPU 的时间（/proc/PID/schedstat）。</translation>
    </message>
    <message>
        <source>Time to full</source>
        <translation>写满剩余时间</translation>
    </message>
    <message>
        <source>Time when a mount is full at the rate of the last minutes.</source>
        <translation>按最近几分钟的速率，挂载写满的时间。</translation>
    </message>
    <message>
        <source>Time-outs of adaptive retransmission (RoCE).</source>
        <translation>自适应重传超时（RoCE）。</translation>
    </message>
    <message>
        <source>Timeline before it began</source>
        <translation>开始之前的时间轴</translation>
    </message>
    <message>
        <source>Timeline where it began</source>
        <translation>开始之处的时间轴</translation>
    </message>
    <message>
        <source>Times a peer did not acknowledge in time: it is gone, or packets were lost.</source>
        <translation>对端未及时 ACK 的次数：对端失联，或报文丢失。</translation>
    </message>
    <message>
        <source>Times a task waited for memory compaction (/proc/vmstat).</source>
        <translation>任务等待内存规整的次数（/proc/vmstat）。</translation>
    </message>
    <message>
        <source>Times a trainer was taken off the CPU (/proc/PID/status).</source>
        <translation>训练进程被剥夺 CPU 的次数（/proc/PID/status）。</translation>
    </message>
    <message>
        <source>Times an interface lost or found its link since boot (/sys/class/net).</source>
        <translation>自启动以来接口断开或恢复链路的次数（/sys/class/net）。</translation>
    </message>
    <message>
        <source>Times flow control failed.</source>
        <translation>流控失败的次数。</translation>
    </message>
    <message>
        <source>Times the link recovered by itself.</source>
        <translation>链路自行恢复的次数。</translation>
    </message>
    <message>
        <source>Times the link went down and did not recover by itself.</source>
        <translation>链路断开且未自行恢复的次数。</translation>
    </message>
    <message>
        <source>Times were in the far future or before 1970; they are replaced by the time of sending or arrival, or are absent. Check the clock of the node.</source>
        <translation>时间在遥远的未来或 1970 年之前；已用发送或到达时间代替，或缺失。请检查节点的时钟。</translation>
    </message>
    <message>
        <source>Times without a zone are taken as UTC. A layout of your own (--map) can say another zone with zone_minutes.</source>
        <translation>没有时区的时间按 UTC 处理。您自己的布局（--map）可用 zone_minutes 指定其他时区。</translation>
    </message>
    <message>
        <source>Tokens found in the prefix cache in host memory.</source>
        <translation>在主机内存前缀缓存中命中的 token。</translation>
    </message>
    <message>
        <source>Tokens found in the prefix cache.</source>
        <translation>在前缀缓存中命中的 token。</translation>
    </message>
    <message>
        <source>Tokens generated per second, all requests together.</source>
        <translation>每秒生成的 token，所有请求合计。</translation>
    </message>
    <message>
        <source>Tokens looked up in the prefix cache in host memory.</source>
        <translation>在主机内存前缀缓存中查找的 token。</translation>
    </message>
    <message>
        <source>Tokens looked up in the prefix cache.</source>
        <translation>在前缀缓存中查找的 token。</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>每秒 token 数</translation>
    </message>
    <message>
        <source>Traces of a timeline are not laid out as any known build of xpu_timer writes them and are left out.</source>
        <translation>时间线中的 trace 不符合任何已知 xpu_timer 版本的格式，已略去。</translation>
    </message>
    <message>
        <source>Traces of a timeline begin outside the years 2001 to 2100; they have no place and are left out.</source>
        <translation>时间线中的 trace 开始于 2001 至 2100 年之外；没有位置，已略去。</translation>
    </message>
    <message>
        <source>Trainers</source>
        <translation>训练进程</translation>
    </message>
    <message>
        <source>Two agents that record the same node were connected at a time: its host and GPU metrics are stored twice. Stop one of them, disable the sources that both have, or connect it to another hub.</source>
        <translation>记录同一节点的两个 agent 同时连接：其主机和 GPU 指标存储了两份。请停止其中一个，禁用两者都有的来源，或将其连接到另一个 hub。</translation>
    </message>
    <message>
        <source>Two exporters report different values of one metric of one device at the same time; the first one is kept. Usually two of them run on a machine under one job name.</source>
        <translation>两个 exporter 在同一时间对同一设备的同一指标报告了不同的值；保留第一个。通常是一台机器上以同一 job 名运行了两个。</translation>
    </message>
    <message>
        <source>Two live processes of one attempt claim the same rank: their steps and scalars are mixed. Check RANK in the launcher, or give each job a run name of its own.</source>
        <translation>同一 attempt 的两个存活进程声称是同一个 rank：其步和标量混在一起。请检查启动器中的 RANK，或给每个作业自己的运行名。</translation>
    </message>
    <message>
        <source>Uncorrectable memory errors over the device&apos;s life (NVML).</source>
        <translation>设备全生命周期不可纠正的显存错误（NVML）。</translation>
    </message>
    <message>
        <source>Uncorrectable memory errors since the driver was loaded (nvidia-smi).</source>
        <translation>自驱动加载以来不可纠正的显存错误（nvidia-smi）。</translation>
    </message>
    <message>
        <source>Unplanned maintenance of a host</source>
        <translation>主机计划外维护</translation>
    </message>
    <message>
        <source>Unused swap (/proc/meminfo).</source>
        <translation>未使用的 swap（/proc/meminfo）。</translation>
    </message>
    <message>
        <source>Uptime</source>
        <translation>运行时长</translation>
    </message>
    <message>
        <source>Use CUDA graphs or torch.compile, so that the host launches less</source>
        <translation>使用 CUDA graphs 或 torch.compile，减少主机的启动</translation>
    </message>
    <message>
        <source>Use CUDA graphs, so that launches are issued together</source>
        <translation>使用 CUDA graphs，使启动一并下发</translation>
    </message>
    <message>
        <source>Usually a file system or driver that does not answer: what it waits for is in the stack after it.</source>
        <translation>通常是文件系统或驱动无响应：等待的对象见其后的栈。</translation>
    </message>
    <message>
        <source>Usually an index or a label out of range.</source>
        <translation>通常是索引或标签越界。</translation>
    </message>
    <message>
        <source>Values of counters or sizes of allocations that are no numbers, or of too many series, are left out.</source>
        <translation>计数器的值或分配的大小不是数字，或序列过多，已略去。</translation>
    </message>
    <message>
        <source>Values of counters that are no numbers, or beyond 4,096 series, are left out.</source>
        <translation>计数器的值不是数字，或超过 4,096 个序列，已略去。</translation>
    </message>
    <message>
        <source>Values that a collective computed wrongly in a test (nccl-tests).</source>
        <translation>测试中集合通信算错的值的数量（nccl-tests）。</translation>
    </message>
    <message>
        <source>Values that amd-smi or rocm-smi printed as not available. They are absent, not zero.</source>
        <translation>amd-smi 或 rocm-smi 打印为不可用的值。它们是缺失，不是零。</translation>
    </message>
    <message>
        <source>Values that are histograms, images, texts or tensors: they are counted, only scalars are kept.</source>
        <translation>直方图、图像、文本或张量的值：只计数，仅保留标量。</translation>
    </message>
    <message>
        <source>Values that cannot be of their metric are refused: a share above 150 %, a temperature above 200 °C. The detail shows the first sample. Usually the exporter has another unit, or the sensor failed.</source>
        <translation>不可能属于其指标的值已拒绝：超过 150 % 的比例、超过 200 °C 的温度。详情给出第一个样本。通常是导出器用了其他单位，或传感器故障。</translation>
    </message>
    <message>
        <source>Values that cannot be of their metric are refused: a share above 150 %, a temperature above 200 °C. The detail shows the metric and the first value. Usually the column or its unit was read wrongly, or the sensor failed.</source>
        <translation>不可能属于其指标的值已拒绝：超过 150 % 的比例、超过 200 °C 的温度。详情给出指标和第一个值。通常是列或其单位读错，或传感器故障。</translation>
    </message>
    <message>
        <source>Values that npu-smi printed as not available. They are absent, not zero.</source>
        <translation>npu-smi 打印为不可用的值。它们是缺失，不是零。</translation>
    </message>
    <message>
        <source>Values that the tool left empty or could not read, without a reason. They are absent.</source>
        <translation>工具留空或无法读取且没有给出原因的值。它们缺失。</translation>
    </message>
    <message>
        <source>Values that the tool printed as not available: this device or driver does not have them. They are absent, not zero; the detail names the fields.</source>
        <translation>工具打印为不可用的值：此设备或驱动没有。它们是缺失，不是零；详情给出字段名。</translation>
    </message>
    <message>
        <source>Values that the tool was not permitted to read. They are absent; run it as root to have them.</source>
        <translation>工具没有权限读取的值。它们缺失；以 root 运行即可得到。</translation>
    </message>
    <message>
        <source>Values that were missing because the device was lost or waited for a reset when it was asked.</source>
        <translation>因设备在查询时已丢失或等待复位而缺失的值。</translation>
    </message>
    <message>
        <source>Values whose step is not a whole number were skipped.</source>
        <translation>步不是整数的值已跳过。</translation>
    </message>
    <message>
        <source>Values written as text: the exporter&apos;s mark for steps at which a metric was not logged. They are absent, not zero.</source>
        <translation>写成文本的值：导出器用它标记未记录指标的步。它们是缺失，不是零。</translation>
    </message>
    <message>
        <source>Voluntary context switches of a trainer (/proc/PID/status).</source>
        <translation>训练进程的自愿上下文切换（/proc/PID/status）。</translation>
    </message>
    <message>
        <source>Voluntary switches</source>
        <translation>自愿切换</translation>
    </message>
    <message>
        <source>Watch its trend.</source>
        <translation>关注其趋势。</translation>
    </message>
    <message>
        <source>Watch the count.</source>
        <translation>关注计数。</translation>
    </message>
    <message>
        <source>Watch the rate of that DIMM.</source>
        <translation>关注该 DIMM 的速率。</translation>
    </message>
    <message>
        <source>Watch the rate; reseat card or cable if it grows.</source>
        <translation>关注速率；若增长，重新插拔网卡或线缆。</translation>
    </message>
    <message>
        <source>Watchdog of the collectives ended it, for a reason not known</source>
        <translation>集合通信 watchdog 结束作业，原因未知</translation>
    </message>
    <message>
        <source>What the driver asks for: 0 none, 1 GPU reset, 2 node reboot, 3 drain, 4 drain and reset (NVML).</source>
        <translation>驱动要求的动作：0 无，1 重置 GPU，2 重启节点，3 drain，4 drain 并重置（NVML）。</translation>
    </message>
    <message>
        <source>What the link of the port can carry each way.</source>
        <translation>端口链路每方向的承载能力。</translation>
    </message>
    <message>
        <source>Wrong values</source>
        <translation>错误值</translation>
    </message>
    <message>
        <source>a CPU did not schedule for seconds</source>
        <translation>CPU 数秒未调度</translation>
    </message>
    <message>
        <source>a CUDA call failed</source>
        <translation>CUDA 调用失败</translation>
    </message>
    <message>
        <source>a CUDA call inside NCCL failed</source>
        <translation>NCCL 内的 CUDA 调用失败</translation>
    </message>
    <message>
        <source>a NCCL call failed</source>
        <translation>NCCL 调用失败</translation>
    </message>
    <message>
        <source>a Python program failed</source>
        <translation>Python 程序失败</translation>
    </message>
    <message>
        <source>a call of a non-blocking communicator has not finished</source>
        <translation>非阻塞通信域的调用未完成</translation>
    </message>
    <message>
        <source>a collective failed</source>
        <translation>集合通信失败</translation>
    </message>
    <message>
        <source>a disk reported an error</source>
        <translation>磁盘报告错误</translation>
    </message>
    <message>
        <source>a file server answers again</source>
        <translation>文件服务器恢复响应</translation>
    </message>
    <message>
        <source>a file server does not answer</source>
        <translation>文件服务器无响应</translation>
    </message>
    <message>
        <source>a file system is full</source>
        <translation>文件系统已满</translation>
    </message>
    <message>
        <source>a file system reported an error</source>
        <translation>文件系统报告错误</translation>
    </message>
    <message>
        <source>a kernel failed while it ran</source>
        <translation>kernel 运行时失败</translation>
    </message>
    <message>
        <source>a kernel read or wrote outside its memory</source>
        <translation>kernel 越界读写</translation>
    </message>
    <message>
        <source>a link was lost for less than a second</source>
        <translation>链路中断不足一秒</translation>
    </message>
    <message>
        <source>a mounted file system does not answer</source>
        <translation>挂载的文件系统无响应</translation>
    </message>
    <message>
        <source>a network adapter reported an error</source>
        <translation>网卡报告错误</translation>
    </message>
    <message>
        <source>a network link came up</source>
        <translation>网络链路恢复</translation>
    </message>
    <message>
        <source>a network link went down</source>
        <translation>网络链路断开</translation>
    </message>
    <message>
        <source>a node&apos;s agent has missed some of its beats</source>
        <translation>节点 agent 丢失部分心跳</translation>
    </message>
    <message>
        <source>a node&apos;s agent is silent</source>
        <translation>节点 agent 失联</translation>
    </message>
    <message>
        <source>a peer closed its connection</source>
        <translation>对端关闭连接</translation>
    </message>
    <message>
        <source>a peer&apos;s address cannot be reached</source>
        <translation>对端地址不可达</translation>
    </message>
    <message>
        <source>a port became active</source>
        <translation>端口激活</translation>
    </message>
    <message>
        <source>a port went down</source>
        <translation>端口断开</translation>
    </message>
    <message>
        <source>a process aborted itself (SIGABRT)</source>
        <translation>进程自行中止（SIGABRT）</translation>
    </message>
    <message>
        <source>a process crashed</source>
        <translation>进程崩溃</translation>
    </message>
    <message>
        <source>a process crashed (SIGBUS)</source>
        <translation>进程崩溃（SIGBUS）</translation>
    </message>
    <message>
        <source>a process crashed (SIGSEGV)</source>
        <translation>进程崩溃（SIGSEGV）</translation>
    </message>
    <message>
        <source>a process ended by a signal</source>
        <translation>进程被信号终止</translation>
    </message>
    <message>
        <source>a process was asked to end (SIGTERM)</source>
        <translation>进程收到终止请求（SIGTERM）</translation>
    </message>
    <message>
        <source>a process was killed (SIGKILL)</source>
        <translation>进程被杀（SIGKILL）</translation>
    </message>
    <message>
        <source>a quota is used up</source>
        <translation>配额用尽</translation>
    </message>
    <message>
        <source>a rank waited for a collective until its time-out</source>
        <translation>rank 等待集合通信直至超时</translation>
    </message>
    <message>
        <source>a rank&apos;s process ended with an error</source>
        <translation>rank 进程出错退出</translation>
    </message>
    <message>
        <source>a rank&apos;s process ended without a word</source>
        <translation>rank 进程无记录退出</translation>
    </message>
    <message>
        <source>a selected order</source>
        <translation>所选顺序</translation>
    </message>
    <message>
        <source>a switch inside the node reported a fault</source>
        <translation>节点内的交换芯片报告了故障</translation>
    </message>
    <message>
        <source>a system call or an external library failed inside NCCL</source>
        <translation>NCCL 内系统调用或外部库失败</translation>
    </message>
    <message>
        <source>a task was blocked for minutes</source>
        <translation>任务被阻塞数分钟</translation>
    </message>
    <message>
        <source>a user or the launcher interrupted the program</source>
        <translation>用户或启动器中断了程序</translation>
    </message>
    <message>
        <source>a warning of NCCL</source>
        <translation>NCCL 警告</translation>
    </message>
    <message>
        <source>above the mean of 10 points by twice that mean, or not finite</source>
        <translation>高于 10 个点的均值达该均值的两倍，或非有限值</translation>
    </message>
    <message>
        <source>adapters that NCCL uses</source>
        <translation>NCCL 使用的网卡</translation>
    </message>
    <message>
        <source>after the last step</source>
        <translation>最后一步之后</translation>
    </message>
    <message>
        <source>all ranks alike: no rank</source>
        <translation>所有 rank 相同：不是 rank 的问题</translation>
    </message>
    <message>
        <source>all-gather</source>
        <translation>all-gather</translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation>all-reduce</translation>
    </message>
    <message>
        <source>all-to-all</source>
        <translation>all-to-all</translation>
    </message>
    <message>
        <source>an Ascend NPU reported a fault</source>
        <translation>一个昇腾 NPU 报告了故障</translation>
    </message>
    <message>
        <source>an Ascend NPU&apos;s network port reported a fault</source>
        <translation>一个昇腾 NPU 的网络端口报告了故障</translation>
    </message>
    <message>
        <source>an RDMA operation of NCCL failed</source>
        <translation>NCCL 的 RDMA 操作失败</translation>
    </message>
    <message>
        <source>an assertion inside a kernel failed</source>
        <translation>kernel 内断言失败</translation>
    </message>
    <message>
        <source>an error counter of a port rises faster than those of the node&apos;s other ports</source>
        <translation>端口错误计数增长快于该节点其他端口</translation>
    </message>
    <message>
        <source>an order is known, no size of any dimension is</source>
        <translation>顺序已知，但任何维度的规模未知</translation>
    </message>
    <message>
        <source>another rank left, or the network to it failed</source>
        <translation>其他 rank 退出，或到它的网络失败</translation>
    </message>
    <message>
        <source>another system reported a fault of this node (MindCluster public fault)</source>
        <translation>另一系统报告了该节点的故障（MindCluster 公共故障）</translation>
    </message>
    <message>
        <source>application clocks</source>
        <translation>应用频率</translation>
    </message>
    <message>
        <source>at least 10 times the largest of the first 100 points</source>
        <translation>至少为前 100 个点最大值的 10 倍</translation>
    </message>
    <message>
        <source>at least 7 sigma above the mean of the 1,000 points before</source>
        <translation>至少高于前 1,000 个点均值 7 sigma</translation>
    </message>
    <message>
        <source>at least twice the mean of 100 points, more than 4 times in a row; or half of them above 10</source>
        <translation>至少为 100 个点均值的两倍，连续 4 次以上；或其中一半高于 10</translation>
    </message>
    <message>
        <source>auxiliary power is not connected</source>
        <translation>辅助供电未连接</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>backward-compute</source>
        <translation>反向计算</translation>
    </message>
    <message>
        <source>backward-recv</source>
        <translation>反向 recv</translation>
    </message>
    <message>
        <source>backward-send</source>
        <translation>反向 send</translation>
    </message>
    <message>
        <source>backward-wgrad-compute</source>
        <translation>反向权重梯度计算</translation>
    </message>
    <message>
        <source>begin and end of steps are not recorded</source>
        <translation>未记录步的开始与结束</translation>
    </message>
    <message>
        <source>bit errors on the link</source>
        <translation>链路误码</translation>
    </message>
    <message>
        <source>broadcast</source>
        <translation>broadcast</translation>
    </message>
    <message>
        <source>catch-up</source>
        <translation>追赶</translation>
    </message>
    <message>
        <source>channel retirement event</source>
        <translation>channel 退役事件</translation>
    </message>
    <message>
        <source>channel retirement failed</source>
        <translation>channel 退役失败</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>checkpoint</translation>
    </message>
    <message>
        <source>checkpoint load</source>
        <translation>加载 checkpoint</translation>
    </message>
    <message>
        <source>checkpoint saves</source>
        <translation>保存 checkpoint</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>compute mode</source>
        <translation>计算模式</translation>
    </message>
    <message>
        <source>contained memory error</source>
        <translation>受控的显存错误</translation>
    </message>
    <message>
        <source>context switch timeout</source>
        <translation>上下文切换超时</translation>
    </message>
    <message>
        <source>copy calls of the host</source>
        <translation>主机的拷贝调用</translation>
    </message>
    <message>
        <source>copy engine exception</source>
        <translation>拷贝引擎异常</translation>
    </message>
    <message>
        <source>corrected PCIe error</source>
        <translation>已纠正的 PCIe 错误</translation>
    </message>
    <message>
        <source>corrected error in main memory</source>
        <translation>已纠正的主存错误</translation>
    </message>
    <message>
        <source>corrected error on the C2C link</source>
        <translation>已纠正的 C2C 链路错误</translation>
    </message>
    <message>
        <source>critical</source>
        <translation>严重</translation>
    </message>
    <message>
        <source>cuBLAS or cuDNN failed</source>
        <translation>cuBLAS 或 cuDNN 失败</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>data loading</source>
        <translation>数据加载</translation>
    </message>
    <message>
        <source>data-load</source>
        <translation>数据加载</translation>
    </message>
    <message>
        <source>debug</source>
        <translation>调试</translation>
    </message>
    <message>
        <source>dismissed</source>
        <translation>已忽略</translation>
    </message>
    <message>
        <source>display clock</source>
        <translation>显示时钟</translation>
    </message>
    <message>
        <source>embedding-grads-all-reduce</source>
        <translation>embedding 梯度 all-reduce</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>evaluation</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>exception</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>fault</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>forward-compute</source>
        <translation>前向计算</translation>
    </message>
    <message>
        <source>forward-recv</source>
        <translation>前向 recv</translation>
    </message>
    <message>
        <source>forward-send</source>
        <translation>前向 send</translation>
    </message>
    <message>
        <source>garbage collection</source>
        <translation>垃圾回收</translation>
    </message>
    <message>
        <source>gc</source>
        <translation>gc</translation>
    </message>
    <message>
        <source>grads-all-reduce</source>
        <translation>梯度 all-reduce</translation>
    </message>
    <message>
        <source>grads-reduce-scatter</source>
        <translation>梯度 reduce-scatter</translation>
    </message>
    <message>
        <source>graphics engine class error</source>
        <translation>图形引擎类错误</translation>
    </message>
    <message>
        <source>graphics or SM engine exception (out-of-bounds access, illegal instruction)</source>
        <translation>图形或 SM 引擎异常（越界访问、非法指令）</translation>
    </message>
    <message>
        <source>hang</source>
        <translation>挂起</translation>
    </message>
    <message>
        <source>hardware</source>
        <translation>硬件</translation>
    </message>
    <message>
        <source>hardware fault</source>
        <translation>硬件故障</translation>
    </message>
    <message>
        <source>hardware power brake</source>
        <translation>硬件 power brake</translation>
    </message>
    <message>
        <source>hardware slowdown</source>
        <translation>硬件降频</translation>
    </message>
    <message>
        <source>hardware thermal slowdown</source>
        <translation>硬件过热降频</translation>
    </message>
    <message>
        <source>high single-bit ECC error rate</source>
        <translation>单比特 ECC 错误率高</translation>
    </message>
    <message>
        <source>highest SM clock</source>
        <translation>最高 SM 频率</translation>
    </message>
    <message>
        <source>host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>host block: a node</source>
        <translation>主机块：一个节点</translation>
    </message>
    <message>
        <source>hot column: a data-parallel replica, its data</source>
        <translation>热列：一个数据并行副本，其数据</translation>
    </message>
    <message>
        <source>hot row: a pipeline stage</source>
        <translation>热行：一个流水线 stage</translation>
    </message>
    <message>
        <source>how far a rank had come when a collective timed out</source>
        <translation>集合通信超时时 rank 的进度</translation>
    </message>
    <message>
        <source>how many GPUs the run has is not known</source>
        <translation>run 的 GPU 数未知</translation>
    </message>
    <message>
        <source>how many GPUs wait is not known</source>
        <translation>有多少 GPU 在等待未知</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>info</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>internal micro-controller breakpoint or warning</source>
        <translation>内部微控制器断点或告警</translation>
    </message>
    <message>
        <source>internal micro-controller halt</source>
        <translation>内部微控制器停机</translation>
    </message>
    <message>
        <source>invalid or corrupted push buffer</source>
        <translation>push buffer 无效或损坏</translation>
    </message>
    <message>
        <source>it is one moment: no end is recorded</source>
        <translation>它是一个时刻：未记录结束</translation>
    </message>
    <message>
        <source>it is the run&apos;s first attempt</source>
        <translation>它是该 run 的首个 attempt</translation>
    </message>
    <message>
        <source>its time is not recorded</source>
        <translation>未记录其时间</translation>
    </message>
    <message>
        <source>jitter of forward passes alone: garbage collection</source>
        <translation>仅前向抖动：垃圾回收</translation>
    </message>
    <message>
        <source>key rotation error</source>
        <translation>密钥轮换错误</translation>
    </message>
    <message>
        <source>killed or crashed</source>
        <translation>被杀或崩溃</translation>
    </message>
    <message>
        <source>launch latency</source>
        <translation>启动延迟</translation>
    </message>
    <message>
        <source>launches issued late (host-bound)</source>
        <translation>启动下发过晚（host-bound）</translation>
    </message>
    <message>
        <source>layernorm-grads-all-reduce</source>
        <translation>layernorm 梯度 all-reduce</translation>
    </message>
    <message>
        <source>logging and metric reports</source>
        <translation>日志与指标上报</translation>
    </message>
    <message>
        <source>loss that is not finite</source>
        <translation>loss 非有限值</translation>
    </message>
    <message>
        <source>memory allocation calls</source>
        <translation>显存分配调用</translation>
    </message>
    <message>
        <source>memory or a link of the GPU failed</source>
        <translation>GPU 显存或链路失败</translation>
    </message>
    <message>
        <source>mitigated</source>
        <translation>已缓解</translation>
    </message>
    <message>
        <source>more than 6 sigma above the mean of the 128 points before</source>
        <translation>高于前 128 个点均值 6 sigma 以上</translation>
    </message>
    <message>
        <source>neither ranks nor the layout have dp and pp coordinates</source>
        <translation>rank 与布局都没有 dp 与 pp 坐标</translation>
    </message>
    <message>
        <source>network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>network that NCCL uses</source>
        <translation>NCCL 使用的网络</translation>
    </message>
    <message>
        <source>no attempt has a begin and an end</source>
        <translation>没有 attempt 同时有开始与结束</translation>
    </message>
    <message>
        <source>no checkpoint is recorded</source>
        <translation>没有记录 checkpoint</translation>
    </message>
    <message>
        <source>no clock was compared with the hub&apos;s</source>
        <translation>没有时钟与 hub 的时钟比对过</translation>
    </message>
    <message>
        <source>no cost is recorded: no slower step, no standstill, no ended attempt</source>
        <translation>没有记录代价：没有变慢的步、停滞或结束的 attempt</translation>
    </message>
    <message>
        <source>no finding belongs to it</source>
        <translation>没有结论属于它</translation>
    </message>
    <message>
        <source>no finding belongs to it, and no rank deviates</source>
        <translation>没有结论属于它，也没有 rank 异常</translation>
    </message>
    <message>
        <source>no finding reports that it slows the run down</source>
        <translation>没有结论说明它使 run 变慢</translation>
    </message>
    <message>
        <source>no forward or backward pass was recorded</source>
        <translation>未记录前向或反向</translation>
    </message>
    <message>
        <source>no price of a GPU-hour was given</source>
        <translation>未给出每 GPU 小时价格</translation>
    </message>
    <message>
        <source>no rank recorded its node</source>
        <translation>没有 rank 记录其节点</translation>
    </message>
    <message>
        <source>no rank recorded steps in the window</source>
        <translation>窗口内没有 rank 记录步</translation>
    </message>
    <message>
        <source>no receive buffer was posted</source>
        <translation>未提交接收缓冲</translation>
    </message>
    <message>
        <source>no replica has all of its pipeline stages recorded</source>
        <translation>没有副本记录了其全部流水线 stage</translation>
    </message>
    <message>
        <source>no series of the attempt or its nodes</source>
        <translation>该 attempt 及其节点没有 series</translation>
    </message>
    <message>
        <source>no span names a forward or backward pass in a step</source>
        <translation>没有 span 标明某步的前向或反向</translation>
    </message>
    <message>
        <source>no spans of ranks were recorded</source>
        <translation>未记录 rank 的 span</translation>
    </message>
    <message>
        <source>no steps are recorded</source>
        <translation>未记录步</translation>
    </message>
    <message>
        <source>no whole step was recorded</source>
        <translation>未记录完整的步</translation>
    </message>
    <message>
        <source>not all members&apos; calls are in the store</source>
        <translation>并非所有成员的调用都在 store 中</translation>
    </message>
    <message>
        <source>not ended</source>
        <translation>未结束</translation>
    </message>
    <message>
        <source>not in a part</source>
        <translation>不属于任何部分</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>not said</source>
        <translation>未说明</translation>
    </message>
    <message>
        <source>nvidia-smi prints the machine&apos;s local time without its zone: it is taken as UTC. If the machine ran in another zone, all values are shifted by that many hours against other sources.</source>
        <translation>nvidia-smi 打印机器的本地时间而没有时区：按 UTC 处理。若机器在其他时区，所有值相对其他来源偏移相应的小时数。</translation>
    </message>
    <message>
        <source>one for all</source>
        <translation>全部相同</translation>
    </message>
    <message>
        <source>one hot cell: a single worker</source>
        <translation>单个热单元：一个 worker</translation>
    </message>
    <message>
        <source>only messages under 1 MiB, which measure latency</source>
        <translation>只有小于 1 MiB 的消息，测得的是延迟</translation>
    </message>
    <message>
        <source>only some of the steps were recorded</source>
        <translation>只记录了部分步</translation>
    </message>
    <message>
        <source>open</source>
        <translation>未解决</translation>
    </message>
    <message>
        <source>operations without a bus factor</source>
        <translation>没有总线系数的操作</translation>
    </message>
    <message>
        <source>operator</source>
        <translation>运维</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>optimizer-clip-main-grad</source>
        <translation>optimizer-clip-main-grad</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>packets came out of order or were lost</source>
        <translation>报文乱序或丢失</translation>
    </message>
    <message>
        <source>packets were damaged on the way</source>
        <translation>报文在途损坏</translation>
    </message>
    <message>
        <source>page compaction and reclaim</source>
        <translation>页规整与回收</translation>
    </message>
    <message>
        <source>params-all-gather</source>
        <translation>参数 all-gather</translation>
    </message>
    <message>
        <source>pauses of garbage collection</source>
        <translation>垃圾回收停顿</translation>
    </message>
    <message>
        <source>peers did not acknowledge in time</source>
        <translation>对端未及时应答</translation>
    </message>
    <message>
        <source>persistence mode</source>
        <translation>持久模式</translation>
    </message>
    <message>
        <source>point to point</source>
        <translation>点对点</translation>
    </message>
    <message>
        <source>power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>power cap</source>
        <translation>功率上限</translation>
    </message>
    <message>
        <source>power limit</source>
        <translation>功率上限</translation>
    </message>
    <message>
        <source>preemptive channel removal</source>
        <translation>抢占式 channel 移除</translation>
    </message>
    <message>
        <source>process groups</source>
        <translation>进程组</translation>
    </message>
    <message>
        <source>process-group initialisation</source>
        <translation>进程组初始化</translation>
    </message>
    <message>
        <source>productive</source>
        <translation>有效训练</translation>
    </message>
    <message>
        <source>ranks did not all meet in time</source>
        <translation>各 rank 未能按时全部到齐</translation>
    </message>
    <message>
        <source>ranks do not agree on what they do or which version they have</source>
        <translation>各 rank 的行为或版本不一致</translation>
    </message>
    <message>
        <source>ranks of one group called different collectives</source>
        <translation>同组 rank 调用了不同的集合通信</translation>
    </message>
    <message>
        <source>reduce</source>
        <translation>reduce</translation>
    </message>
    <message>
        <source>reduce-scatter</source>
        <translation>reduce-scatter</translation>
    </message>
    <message>
        <source>reported by the ranks</source>
        <translation>由 rank 上报</translation>
    </message>
    <message>
        <source>resolved</source>
        <translation>已解决</translation>
    </message>
    <message>
        <source>resource retirement event</source>
        <translation>资源退役事件</translation>
    </message>
    <message>
        <source>resource retirement failed</source>
        <translation>资源退役失败</translation>
    </message>
    <message>
        <source>row remap or page retirement failed</source>
        <translation>行重映射或页退役失败</translation>
    </message>
    <message>
        <source>row remap or page retirement recorded</source>
        <translation>记录到行重映射或页退役</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>scheduling gap</source>
        <translation>调度间隙</translation>
    </message>
    <message>
        <source>security fault</source>
        <translation>安全错误</translation>
    </message>
    <message>
        <source>separate-grads-all-reduce</source>
        <translation>separate-grads-all-reduce</translation>
    </message>
    <message>
        <source>sequence lengths</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>silent</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>since when is not known: the steps have no clock</source>
        <translation>起始时间未知：步没有时钟</translation>
    </message>
    <message>
        <source>slower stage</source>
        <translation>变慢的 stage</translation>
    </message>
    <message>
        <source>small kernels (launch-bound)</source>
        <translation>小 kernel（launch-bound）</translation>
    </message>
    <message>
        <source>software</source>
        <translation>软件</translation>
    </message>
    <message>
        <source>software power cap</source>
        <translation>软件功率限制</translation>
    </message>
    <message>
        <source>software thermal slowdown</source>
        <translation>软件过热降频</translation>
    </message>
    <message>
        <source>speckle that changes from step to step: sequence lengths or experts&apos; loads</source>
        <translation>逐步变化的散点：序列长度或专家负载</translation>
    </message>
    <message>
        <source>stage split</source>
        <translation>stage 划分</translation>
    </message>
    <message>
        <source>stalled</source>
        <translation>停滞</translation>
    </message>
    <message>
        <source>start-up</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>still runs</source>
        <translation>仍在运行</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>stopped on purpose</source>
        <translation>主动停止</translation>
    </message>
    <message>
        <source>storage</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>sync boost</source>
        <translation>sync boost</translation>
    </message>
    <message>
        <source>synchronisation calls</source>
        <translation>同步调用</translation>
    </message>
    <message>
        <source>the CPU runs slower because of heat</source>
        <translation>CPU 因过热降频</translation>
    </message>
    <message>
        <source>the GPU cannot be used</source>
        <translation>GPU 不可用</translation>
    </message>
    <message>
        <source>the GPU&apos;s memory ran out</source>
        <translation>显存耗尽</translation>
    </message>
    <message>
        <source>the GPU&apos;s recovery action changed</source>
        <translation>GPU 恢复动作改变</translation>
    </message>
    <message>
        <source>the adapter reported an event</source>
        <translation>网卡报告事件</translation>
    </message>
    <message>
        <source>the cost of a save is not recorded: no begin, and no longer step</source>
        <translation>保存的代价未记录：没有开始，也没有变长的步</translation>
    </message>
    <message>
        <source>the data loader&apos;s pin-memory thread failed</source>
        <translation>数据加载器的锁页内存线程失败</translation>
    </message>
    <message>
        <source>the framework&apos;s usual order</source>
        <translation>框架的惯用顺序</translation>
    </message>
    <message>
        <source>the host&apos;s memory ran out</source>
        <translation>主机内存耗尽</translation>
    </message>
    <message>
        <source>the job&apos;s arguments</source>
        <translation>作业参数</translation>
    </message>
    <message>
        <source>the job&apos;s key-value store did not answer</source>
        <translation>作业的 key-value store 无响应</translation>
    </message>
    <message>
        <source>the kernel panicked</source>
        <translation>内核 panic</translation>
    </message>
    <message>
        <source>the kernel ran out of memory and killed a process</source>
        <translation>内核内存不足并杀死进程</translation>
    </message>
    <message>
        <source>the last attempt has not been restarted</source>
        <translation>最后一次尝试尚未重启</translation>
    </message>
    <message>
        <source>the launcher names the rank that failed first</source>
        <translation>启动器指明了最先失败的 rank</translation>
    </message>
    <message>
        <source>the launcher reports a failed rank</source>
        <translation>启动器报告 rank 失败</translation>
    </message>
    <message>
        <source>the launcher&apos;s connection to the node was lost</source>
        <translation>启动器与节点的连接已中断</translation>
    </message>
    <message>
        <source>the link recovered by itself</source>
        <translation>链路自行恢复</translation>
    </message>
    <message>
        <source>the members&apos; clocks are too far apart or were never compared</source>
        <translation>成员的时钟相差过大或从未比对</translation>
    </message>
    <message>
        <source>the node&apos;s management controller reported a fault</source>
        <translation>节点的管理控制器报告了故障</translation>
    </message>
    <message>
        <source>the other end reported losses</source>
        <translation>对端报告丢包</translation>
    </message>
    <message>
        <source>the receiver was not ready</source>
        <translation>接收方未就绪</translation>
    </message>
    <message>
        <source>the recorded operations have no duration</source>
        <translation>记录的操作没有时长</translation>
    </message>
    <message>
        <source>the run has no attempt</source>
        <translation>该 run 没有 attempt</translation>
    </message>
    <message>
        <source>the run has no attempt at that time</source>
        <translation>该时间 run 没有 attempt</translation>
    </message>
    <message>
        <source>the run&apos;s source has no clock: wall time is not known</source>
        <translation>run 的来源没有时钟：墙钟时间未知</translation>
    </message>
    <message>
        <source>the run&apos;s wall time is not known</source>
        <translation>run 的墙钟时间未知</translation>
    </message>
    <message>
        <source>the scheduler reports that the node failed</source>
        <translation>调度器报告该节点发生故障</translation>
    </message>
    <message>
        <source>their records have no bytes</source>
        <translation>其记录没有字节数</translation>
    </message>
    <message>
        <source>thermal</source>
        <translation>散热</translation>
    </message>
    <message>
        <source>thermal or power-brake throttle</source>
        <translation>过热或 power brake 降频</translation>
    </message>
    <message>
        <source>thermal throttling</source>
        <translation>过热降频</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>uncontained memory error</source>
        <translation>不受控的显存错误</translation>
    </message>
    <message>
        <source>uncorrectable (double-bit) ECC error</source>
        <translation>不可纠正（双比特）ECC 错误</translation>
    </message>
    <message>
        <source>uncorrectable ECC error was in DRAM</source>
        <translation>不可纠正 ECC 错误位于 DRAM</translation>
    </message>
    <message>
        <source>uncorrectable ECC error was in SRAM</source>
        <translation>不可纠正 ECC 错误位于 SRAM</translation>
    </message>
    <message>
        <source>uncorrected PCIe error</source>
        <translation>未纠正的 PCIe 错误</translation>
    </message>
    <message>
        <source>uncorrected error in main memory</source>
        <translation>未纠正的主存错误</translation>
    </message>
    <message>
        <source>uneven sequences</source>
        <translation>序列不均</translation>
    </message>
    <message>
        <source>unexplained</source>
        <translation>未解释</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>unrecovered ECC error</source>
        <translation>未恢复的 ECC 错误</translation>
    </message>
    <message>
        <source>wait for data</source>
        <translation>等待数据</translation>
    </message>
    <message>
        <source>wait for the host</source>
        <translation>等待主机</translation>
    </message>
    <message>
        <source>waiting for peers</source>
        <translation>等待同类</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>what it costs of a step is not known</source>
        <translation>它对步的代价未知</translation>
    </message>
    <message>
        <source>which calls are one collective is not known</source>
        <translation>哪些调用属于同一集合通信未知</translation>
    </message>
    <message>
        <source>work queued, not begun</source>
        <translation>已排队未开始</translation>
    </message>
    <message>
        <source>z above 2.5 against averages that decay with 0.97</source>
        <translation>z 高于 2.5，相对以 0.97 衰减的均值</translation>
    </message>
</context>
</TS>
